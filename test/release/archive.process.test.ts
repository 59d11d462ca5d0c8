import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { expect, test } from 'vitest'
import { isLong, report } from '#test/measuring.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { listBundledPackages } from '../../build/bundled-packages.ts'
import { linksIn } from '../docs/links-in.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const { version, dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const archive = `voucher-service-${version}.tar.gz`

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Runs `npm run package` in a clone; returns the folder with the archive. */
async function build(clone: string, umask = '022'): Promise<string> {
  const target = temporaryFolder()
  const env = { PATH: process.env['PATH'], TZ: umask === '022' ? 'UTC' : 'Asia/Tokyo' }
  await run('sh', ['-c', `umask ${umask} && exec node build/package.ts '${target}'`], { cwd: clone, env })
  return target
}

const target = await build(root)
await run('tar', ['-xzf', archive], { cwd: target })
const folder = join(target, `voucher-service-${version}`)
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })

test('the archive is under 60 MB, says its version, and its checksums are those of its files', async () => {
  const megabytes = statSync(join(target, archive)).size / 1e6
  report('MB of the archive', megabytes)
  await run('sha256sum', ['--check', '--quiet', `${archive}.sha256`], { cwd: target })
  await run('sha256sum', ['--check', '--quiet', '--strict', 'SHA256SUMS'], { cwd: folder })
  const listed = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')

  expect(megabytes).toBeLessThan(60)
  expect(readFileSync(join(folder, 'VERSION'), 'utf8')).toBe(`${version}\n`)
  expect(listed).toHaveLength(names.filter((name) => statSync(join(folder, name)).isFile()).length - 1)
})

test('the archive has what a start needs, and no tests', () => {
  const needed = [
    'LICENSE',
    'CHANGELOG.md',
    'docs/get-started.md',
    'deploy/compose.yaml',
    'deploy/nginx/voucher-service.conf',
    'deploy/caddy/Caddyfile',
    'deploy/router/haproxy.cfg',
    'deploy/router/keys.map',
    'dist/web/index.html',
    'client/voucher-client.ts',
  ]

  expect(names).toEqual(expect.arrayContaining(needed))
  expect(names.filter((name) => /\.test\.tsx?$|(^|\/)\.env$|^deploy\/secrets/.test(name))).toEqual([])
})

test('the pages of the archive have no dead links', () => {
  const pages = names.filter((name) => name.endsWith('.md') && !name.startsWith('node_modules/'))
  const links = pages.flatMap((page) =>
    linksIn(readFileSync(join(folder, page), 'utf8')).map((link) => ({ page, path: link.split('#')[0] as string })),
  )

  expect(links.length).toBeGreaterThan(100)
  expect(links.filter(({ page, path }) => !existsSync(join(folder, dirname(page), path)))).toEqual([])
})

test('the SBOM is valid and names every production dependency and the packages of the web app', async () => {
  const text = readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')
  const { components } = JSON.parse(text)
  const listed = components.map((one: { name: string; version: string }) => `${one.name}@${one.version}`)

  expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull()
  expect(listed).toEqual(expect.arrayContaining(Object.entries(dependencies).map(([name, one]) => `${name}@${one}`)))
  expect(listed).toEqual(expect.arrayContaining([expect.stringMatching(/^react@/), expect.stringMatching(/^pg-pool@/)]))
  expect(components.filter((one: { hashes?: unknown; licenses?: unknown }) => !one.hashes || !one.licenses)).toEqual([])
})

/** Licences that allow what a release does, if it has their texts. */
const allowedLicences = [
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'Apache-2.0'],
  ...['FTL', 'IJG', 'LicenseRef-AGG-2.3', 'Unicode-3.0', 'Zlib'],
]

/** These packages name the MIT licence and have no file with its text. */
const withoutText = /^(@redis\/client|abstract-logging|brotli|dfa|fontkit|pg-types|pgpass|react-remove-scroll-bar)$/

test('every package in the archive has a licence that allows it, and the archive has its text', () => {
  const packages = listBundledPackages()
  const isAllowed = (expression = '') =>
    expression
      .split(' AND ')
      .every((part) => part.split(' OR ').some((one) => allowedLicences.includes(one.replace(/[()]/g, ''))))
  const notices = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.md'), 'utf8')

  expect(packages.filter(({ identifier }) => !isAllowed(identifier)).map(({ name }) => name)).toEqual([])
  expect(packages.filter(({ name, text }) => !text && !withoutText.test(name)).map(({ name }) => name)).toEqual([])
  expect(packages.filter(({ text = '' }) => !notices.includes(text)).map(({ name }) => name)).toEqual([])
  expect(isAllowed('GPL-2.0') || isAllowed('MIT AND GPL-2.0') || isAllowed(undefined)).toBe(false)
})

test('the archive has the notices of the software in pdfium.wasm', () => {
  const notices = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.md'), 'utf8')
  const copyrights = ['2014 The PDFium Authors', '(C) 2002-2005 Maxim Shemanarev', '(c) 2023 Marti Maria Saguer']

  for (const copyright of [
    ...copyrights,
    '(c) 2002-2014, Universite catholique de Louvain',
    '© 2016-2025 Unicode, Inc.',
  ])
    expect(notices).toContain(`Copyright ${copyright}`)
  expect(notices).toContain('portions of this software are copyright © The FreeType Project')
  expect(notices).toContain('based in part on the work of the Independent JPEG Group')
})

test.runIf(isLong)('the same commit makes the same bytes', async () => {
  const clone = await cloneElsewhere()
  const again = await build(clone, '077')
  rmSync(join(clone, 'node_modules'), { recursive: true }) // takes too long for the end of the file

  expect(readFileSync(join(again, `${archive}.sha256`), 'utf8')).toBe(
    readFileSync(join(target, `${archive}.sha256`), 'utf8'),
  )
})

/** A copy of this clone in another folder, with what is not committed yet, which builds everything again. */
async function cloneElsewhere(): Promise<string> {
  const clone = temporaryFolder()
  await run('git', ['clone', '--quiet', root, clone])
  const copy = `git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t '${clone}' && cp -al node_modules '${clone}'`
  await run('sh', ['-c', copy], { cwd: root })
  return clone
}
