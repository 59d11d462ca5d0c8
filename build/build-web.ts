import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { buildWhenChanged, root } from './when-changed.ts'

/** `npm run build:web` builds the web app into `dist/web`. */
await buildWhenChanged('web', ['web/**/*.*', 'client/*.ts', 'build/*.ts'], async (vite, folder) => {
  await vite.build({
    configFile: `${root}web/vite.config.ts`,
    logLevel: 'warn',
    build: { outDir: folder, license: { fileName: '.packages.json' } },
  })
  for (const name of globSync('**/*.{html,js,css,svg}', { cwd: folder })) compress(`${folder}/${name}`)
})

/** Writes two compressed copies of a file. The service sends these copies, so it never compresses anything itself. */
function compress(path: string): void {
  const body = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }))
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
  )
}
