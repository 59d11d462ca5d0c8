import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describeLicences, listBundledPackages } from './bundled-packages.ts'
import { listReleaseFiles, manifestOf } from './release-files.ts'
import { removeDeadLinks } from './remove-dead-links.ts'
import { createSbom } from './sbom.ts'
import { root } from './when-changed.ts'

/**
 * `npm run package` builds the release: the folder `dist/release` and the same files as `dist/voucher-service-<version>.tar.gz`.
 * An argument names another folder than `dist`. The same commit makes the same bytes: all files get the time of the commit.
 */
async function buildRelease(target: string): Promise<void> {
  await import('vite') // without Vite the builds would leave an old result in place
  await import('./build-web.ts')
  await import('./build-service.ts')
  const manifest = manifestOf(JSON.parse(readFileSync(`${root}package.json`, 'utf8')))
  const packages = listBundledPackages()
  const time = timeOfCommit()

  const folder = `${target}/.release-${process.pid}`
  const write = (name: string, text: string) => writeFileSync(`${folder}/${name}`, text)
  mkdirSync(folder, { recursive: true })
  try {
    for (const name of listReleaseFiles()) {
      mkdirSync(dirname(`${folder}/${name}`), { recursive: true })
      cpSync(root + name, `${folder}/${name}`)
    }
    chmodSync(`${folder}/bin/voucher-service.js`, 0o755)
    write('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
    write('VERSION', `${manifest.version}\n`)
    write('THIRD-PARTY-LICENSES.md', describeLicences(packages))
    write('sbom.cdx.json', `${JSON.stringify(createSbom(manifest, packages, time), null, 2)}\n`)
    removeDeadLinks(folder)
    write('SHA256SUMS', checksumsOf(folder))

    const archive = `voucher-service-${manifest.version}.tar.gz`
    const bytes = pack(folder, { prefix: `voucher-service-${manifest.version}`, time })
    writeFileSync(`${target}/${archive}`, bytes)
    writeFileSync(`${target}/${archive}.sha256`, `${sha256(bytes)}  ${archive}\n`)
    rmSync(`${target}/release`, { recursive: true, force: true })
    renameSync(folder, `${target}/release`)
    process.stdout.write(`${target}/${archive}: ${(bytes.length / 1e6).toFixed(1)} MB\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The time of the current commit. Builds without a Git repository, such as that of the image, set SOURCE_DATE_EPOCH, which
 * other tools use too.
 */
function timeOfCommit(): Date {
  const seconds =
    process.env['SOURCE_DATE_EPOCH'] ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim()
  return new Date(Number(seconds) * 1000)
}

/** A line for each file, as `sha256sum --check` reads it. */
function checksumsOf(folder: string): string {
  const names = globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1))
  const lines = names.toSorted().map((name) => `${sha256(readFileSync(`${folder}/${name}`))}  ${name}\n`)
  return lines.join('')
}

/** Packs the folder with GNU tar. Order, times, owners and modes do not depend on the machine. */
function pack(folder: string, { prefix, time }: { prefix: string; time: Date }): Buffer {
  const fixed = ['--sort=name', `--mtime=@${time.getTime() / 1000}`, '--owner=0', '--group=0', '--numeric-owner']
  const shape = ['--format=ustar', '--mode=u=rwX,go=rX', `--transform=s,^\\.,${prefix},`]
  const tar = execFileSync('tar', [...fixed, ...shape, '--create', '.'], { cwd: folder, maxBuffer: 2 ** 30 })
  return gzipSync(tar, { level: 9 })
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const [target = `${root}dist`] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
await buildRelease(resolve(target))
