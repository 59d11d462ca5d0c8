import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onFileEnd } from '#test/on-file-end.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/** The commit of the last release, 0.1.0. */
export const lastRelease = '4cea58fb66edcd4eae3086315cb8b9345039759a'

/**
 * Returns the program of a commit. It runs from source: building it would need all packages of that commit, and installing these takes
 * longer than the rest of the test. Needs the history of the repository.
 */
export async function runnableRelease(commit: string): Promise<string> {
  const folder = await checkOut(commit)
  await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
  return join(folder, 'bin/voucher-service.js')
}

/** Builds the release archive of a commit, and unpacks it as an operator does. Returns the program. */
export async function installRelease(commit: string): Promise<string> {
  const folder = await checkOut(commit)
  await linkPackages(commit, folder)
  const env = { PATH: process.env['PATH'], SOURCE_DATE_EPOCH: '0' } // the folder is not a repository
  const target = mkdtempSync(join(tmpdir(), 'voucher-archive-'))
  onFileEnd(() => rmSync(target, { recursive: true }))
  await run(process.execPath, ['build/package.ts', target], { cwd: folder, env })
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  await run('tar', ['-xzf', `voucher-service-${version}.tar.gz`], { cwd: target })
  return join(target, `voucher-service-${version}/bin/voucher-service.js`)
}

/** Writes the files of a commit into a temporary folder. */
async function checkOut(commit: string): Promise<string> {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).catch(() => {
    throw new Error(
      `This clone does not contain the release ${commit}, from which the upgrade is tested. Fetch the whole history: git fetch --unshallow`,
    )
  })
  const folder = mkdtempSync(join(tmpdir(), 'voucher-release-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  const archive = join(folder, 'release.tar')
  await run('git', ['archive', `--output=${archive}`, commit], { cwd: root })
  await run('tar', ['-xf', archive, '-C', folder])
  rmSync(archive)
  return folder
}

/** Uses the packages of this clone if the release has the same ones. Otherwise installs those of the release. */
async function linkPackages(commit: string, folder: string): Promise<void> {
  const isSame = await run('git', ['diff', '--quiet', commit, '--', 'package-lock.json'], { cwd: root }).then(
    () => true,
    () => false,
  )
  if (isSame) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  else await run('npm', ['ci', '--ignore-scripts'], { cwd: folder })
}
