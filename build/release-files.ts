import { globSync, readFileSync } from 'node:fs'
import { root } from './when-changed.ts'

/** Files of the repository that a release has, besides those that the built service reads. */
const patterns = [
  'bin/voucher-service.js',
  'dist/service/*.js',
  'dist/web/**/*.*',
  // The simulated controllers of `demo` run from source, with the only package whose code is not bundled.
  'simulator/**/*.ts',
  'simulator/README.md',
  'node_modules/node-forge/{package.json,LICENSE}',
  'node_modules/node-forge/lib/**/*.js',
  'node_modules/@hyzyla/pdfium/dist/pdfium.wasm',
  'deploy/**',
  'docs/**/*.*',
  'client/*.*',
  '{README,CHANGELOG,SECURITY,ARCHITECTURE,CONTRIBUTING}.md',
  'LICENSE',
]

/** Paths of all files that are copied into a release, relative to the root of the repository. */
export function listReleaseFiles(): string[] {
  const exclude = ['**/*.test.ts', '**/.*', 'deploy/secrets/**']
  const names = globSync([...patterns, ...filesThatTheServiceReads()], { cwd: root, exclude, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.length))
  return [...new Set(names)].filter((name) => name !== 'package.json').toSorted()
}

/** Patterns of the files that the built service reads at run time, such as the migrations. */
function filesThatTheServiceReads(): string[] {
  const code = globSync(`${root}dist/service/*.js`).map((path) => readFileSync(path, 'utf8'))
  const paths = code.flatMap((text) =>
    [...text.matchAll(/new URL\(["'`]\.\.\/\.\.\/(src\/[^"'`]+)["'`], import\.meta\.url\)/g)].map(
      ([, path = '']) => path,
    ),
  )
  return paths.flatMap((path) => [path, `${path}/**/*.*`])
}

export type Manifest = {
  name: string
  version: string
  description: string
  license: string
  private: true
  type: string
  engines: object
  bin: object
}

/** The `package.json` of a release. It names no dependencies, because nothing has to be installed. */
export function manifestOf({ name, version, description, license, type, engines, bin }: Manifest): Manifest {
  return { name, version, description, license, private: true, type, engines, bin }
}
