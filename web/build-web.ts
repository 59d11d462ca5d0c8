import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/**
 * `npm run build:web` builds the web app into `dist/web`, unless the bundle there was made from the same sources. `--force`
 * builds it anyway.
 */
const root = fileURLToPath(new URL('../', import.meta.url))
const target = `${root}dist/web`
const fresh = `${root}dist/.web-${process.pid}`

const isForced = process.argv.includes('--force')
const stamp = hashSources()
if (isForced || readStamp() !== stamp) await build()

/** The content of everything that gets into the bundle. The lockfile represents the dependencies. */
function hashSources(): string {
  const names = globSync(['web/**/*.*', 'client/*.ts', 'package-lock.json'], { cwd: root })
  const hash = createHash('sha256')
  for (const name of names.filter((name) => !/\.test\.tsx?$/.test(name)).toSorted())
    hash.update(`${name}\0`).update(readFileSync(root + name))
  return hash.digest('hex')
}

function readStamp(): string | undefined {
  return existsSync(`${target}/.stamp`) ? readFileSync(`${target}/.stamp`, 'utf8') : undefined
}

/** Builds into a folder next to the old bundle and then replaces it, so that nobody reads half a bundle. */
async function build(): Promise<void> {
  process.env['NODE_ENV'] = 'production' // with any other value, React's slow development version is bundled
  const vite = await import('vite').catch(() => undefined)
  if (!vite) {
    process.stderr.write('The web app is not built, because Vite is not installed. Run `npm ci` first.\n')
    return
  }
  mkdirSync(fresh, { recursive: true })
  try {
    await vite.build({ configFile: `${root}web/vite.config.ts`, logLevel: 'warn', build: { outDir: fresh } })
    for (const name of globSync('**/*.{html,js,css,svg}', { cwd: fresh })) compress(`${fresh}/${name}`)
    writeFileSync(`${fresh}/.stamp`, stamp)
    replaceTarget()
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Two builds may end at the same time. Then both bundles have the same content. */
function replaceTarget(): void {
  if (!isForced && readStamp() === stamp) return // the other build was faster, and somebody may be reading its bundle
  rmSync(target, { recursive: true, force: true })
  try {
    renameSync(fresh, target)
  } catch (error) {
    if (readStamp() !== stamp) throw error
  }
}

/** The service sends these copies, so it never compresses anything itself. */
function compress(path: string): void {
  const body = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }))
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
  )
}
