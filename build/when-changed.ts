import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The folder of the project, with a slash at its end. */
export const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * Builds a folder of `dist`, unless the one there was made from the same sources. `--force` builds it anyway. `sources` are
 * patterns of all files whose content gets into the result; the lockfile, which is always among them, represents the
 * dependencies.
 */
export async function buildWhenChanged(
  name: string,
  sources: string[],
  build: (vite: typeof import('vite'), folder: string) => Promise<void>,
): Promise<void> {
  const target = `${root}dist/${name}`
  const isForced = process.argv.includes('--force')
  const stamp = hashOf([...sources, 'package-lock.json'])
  const isCurrent = () => existsSync(`${target}/.stamp`) && readFileSync(`${target}/.stamp`, 'utf8') === stamp
  if (!isForced && isCurrent()) return

  process.env['NODE_ENV'] = 'production' // with any other value, React's slow development version is bundled
  const vite = await import('vite').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  })
  if (!vite) {
    process.stderr.write(`dist/${name} is not built, because Vite is not installed. Run \`npm ci\` first.\n`)
    return
  }
  const unlock = await lock(target)
  // Builds into a new folder and then replaces the old one, so that nobody reads an incomplete result.
  const fresh = `${root}dist/.${name}-${process.pid}`
  const old = `${fresh}-old`
  try {
    if (!isForced && isCurrent()) return // another process built it meanwhile
    mkdirSync(fresh, { recursive: true })
    await build(vite, fresh)
    writeFileSync(`${fresh}/.stamp`, stamp)
    if (existsSync(target)) renameSync(target, old)
    renameSync(fresh, target)
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true })
    unlock()
  }
}

/**
 * Waits until no other process builds this folder. The lock is a name in the kernel of Linux, which releases it when its
 * process ends in any way. Other systems have no such names; there, two processes must not build at once.
 */
async function lock(target: string): Promise<() => void> {
  if (process.platform !== 'linux') return () => {}
  const name = `\0build-${createHash('sha256').update(target).digest('hex')}`
  for (;;) {
    const holder = createServer()
    const isMine = await new Promise<boolean>((resolve, reject) => {
      holder.once('listening', () => resolve(true))
      holder.once('error', (error) => ('code' in error && error.code === 'EADDRINUSE' ? resolve(false) : reject(error)))
      holder.listen(name)
    })
    if (isMine) return () => void holder.close()
    await pause(50)
  }
}

function hashOf(sources: string[]): string {
  const names = globSync(sources, { cwd: root, exclude: ['**/*.test.{ts,tsx}'] })
  const hash = createHash('sha256')
  for (const name of names.toSorted()) hash.update(`${name}\0`).update(readFileSync(root + name))
  return hash.digest('hex')
}
