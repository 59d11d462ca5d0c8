import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { parseSettingsFile } from './settings-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'settings-file-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
const db = await createTestDatabase()

function write(text: string): string {
  const path = join(folder, 'settings.env')
  writeFileSync(path, text)
  return path
}

test('characters that a shell would expand are part of the value; comments and quotes are not', () => {
  const text = `# settings
; of the service
DATABASE_URL=postgres://u:a&b$c\`d\`@h/db?sslmode=disable&options=x
ENCRYPTION_KEYS="k1:AAAA=="
TZ='Europe/Vienna'
REDIS_PREFIX='a\\b'
EMPTY=
`
  expect(parseSettingsFile(text, 'f')).toEqual({
    DATABASE_URL: 'postgres://u:a&b$c`d`@h/db?sslmode=disable&options=x',
    ENCRYPTION_KEYS: 'k1:AAAA==',
    TZ: 'Europe/Vienna',
    REDIS_PREFIX: 'a\\b',
    EMPTY: '',
  })
})

test.each([
  ['export TZ=UTC', 'f: line 1 does not have the form NAME=value'],
  ['TZ=UTC\nPORT', 'f: line 2 does not have the form NAME=value'],
  ['TZ=a\\b', 'f: line 1 has a backslash. Put the value in single quotes'],
])('%j is rejected with its line', (text, message) => {
  expect(() => parseSettingsFile(text, 'f')).toThrow(message)
})

test('a command uses the settings of the file, whatever the environment has', async () => {
  const file = write(`DATABASE_URL=${db.url}\n`)
  const wrong = 'postgres://postgres@127.0.0.1:1/nothing'

  expect(await runCommand(wrong, ['--settings', file, 'sites', 'list', '--json'])).toMatchObject({ exitCode: 0 })
  expect(await runCommand(wrong, ['sites', 'list', `--settings=${file}`])).toMatchObject({ exitCode: 0 })
})

test('settings of a later file replace those of an earlier one, and the others stay', async () => {
  const service = write(`DATABASE_URL=postgres://postgres@127.0.0.1:1/nothing\nTZ=Mars/Olympus\n`)
  const owner = join(folder, 'owner.env')
  writeFileSync(owner, `DATABASE_URL=${db.url}\n`)

  const both = await runCommand(db.url, ['--settings', service, 'sites', 'list', `--settings=${owner}`])
  writeFileSync(owner, `DATABASE_URL=${db.url}\nTZ=UTC\n`)

  expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('- TZ: must be') })
  expect(await runCommand('', ['--settings', service, '--settings', owner, 'sites', 'list'])).toMatchObject({
    exitCode: 0,
  })
  expect(await runCommand('', ['--settings', owner, '--settings', service, 'sites', 'list'])).toMatchObject({
    exitCode: 2,
  })
})

test('a file that cannot be read is named', async () => {
  expect(await runCommand(db.url, ['--settings', join(folder, 'none'), 'sites', 'list'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`${join(folder, 'none')} cannot be read (ENOENT)`),
  })
})

test.each([
  ['that does not exist', undefined, 'cannot be read (ENOENT)'],
  ['without a certificate', 'no certificate\n', 'contains no certificate in PEM format'],
])('a file of authorities %s is named with its setting', async (_, text, problem) => {
  const authorities = join(folder, `ca-${text === undefined ? 'none' : 'text'}.pem`)
  if (text !== undefined) writeFileSync(authorities, text)
  const file = write(`DATABASE_URL=${db.url}\nNODE_EXTRA_CA_CERTS=${authorities}\n`)

  expect(await runCommand(db.url, ['--settings', file, 'sites', 'list'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`NODE_EXTRA_CA_CERTS: ${authorities} ${problem}`),
  })
})
