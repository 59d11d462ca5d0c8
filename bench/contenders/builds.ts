import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A built service: its folder, and the program to start with Node. */
export type Build = { folder: string; program: string; commit: string; remove(): void }

const root = fileURLToPath(new URL('../..', import.meta.url))

export function buildHere(): Build {
  return { ...buildIn(root), remove: () => {} }
}

/**
 * Checks out an earlier commit into a temporary folder and builds it there, with the packages of its lock file. A commit without a
 * build runs from its sources.
 */
export function buildEarlier(ref: string): Build {
  const folder = join(mkdtempSync(join(tmpdir(), 'voucher-bench-')), 'checkout')
  git('worktree', 'add', '--detach', '--force', folder, ref)
  const hasOurPackages = readFileSync(join(folder, 'package-lock.json')).equals(
    readFileSync(join(root, 'package-lock.json')),
  )
  if (hasOurPackages) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  else
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  return { ...buildIn(folder), remove: () => void git('worktree', 'remove', '--force', folder) }
}

function buildIn(folder: string): Omit<Build, 'remove'> {
  const script = join(folder, 'build/build-service.ts')
  const isBuilt = existsSync(script)
  if (isBuilt) execFileSync(process.execPath, [script], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const commit = execFileSync('git', ['-C', folder, 'describe', '--always', '--dirty'], { encoding: 'utf8' }).trim()
  return { folder, program: join(folder, isBuilt ? 'dist/service/main.js' : 'bin/voucher-service.js'), commit }
}

function git(...args: string[]): string {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
