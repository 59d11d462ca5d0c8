import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { processEnvironment, testEnvironment } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { program } from '#test/service.ts'

// Node itself reads some options anywhere on the command line, for example `--env-file`. Only a real process shows that it does not
// read `--settings`.
const folder = mkdtempSync(join(tmpdir(), 'settings-file-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
const db = await createTestDatabase()
const wrongUrl = 'postgres://postgres@127.0.0.1:1/nothing'

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Without these capabilities, the user root may read only what the mode of a file allows. */
const likeOthers =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : ([] as string[])

function run(databaseUrl: string, args: string[]) {
  const [command, ...words] = [...likeOthers, process.execPath, program, ...args] as [string, ...string[]]
  const env = { ...processEnvironment, ...testEnvironment(databaseUrl) }
  const { status, stdout, stderr } = spawnSync(command, words, { env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

test.each([
  ['before the command', (path: string) => ['--settings', path, 'sites', 'list']],
  ['after the command', (path: string) => ['sites', 'list', `--settings=${path}`]],
])('a file that does not exist is named by the service, not by Node: %s', (_, args) => {
  const path = join(folder, 'none.env')

  expect(run(db.url, args(path))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`--settings: ${path} cannot be read (ENOENT). Check the path`),
  })
})

test('a file that the user may not read is named, with what to do', () => {
  const path = file('secret.env', `DATABASE_URL=${db.url}\n`)
  chmodSync(path, 0o000)

  expect(run(db.url, ['--settings', path, 'sites', 'list'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(
      `${path} cannot be read (EACCES). Check the path, or run the command as a user who`,
    ),
  })
})

test('a file without a path is an error of usage', () => {
  expect(run(db.url, ['sites', 'list', '--settings'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("option '--settings <file>' argument missing"),
  })
})

test('the settings of the file replace those of the environment; others stay', () => {
  const right = file('right.env', `DATABASE_URL=${db.url}\n`)
  const wrong = file('wrong.env', `DATABASE_URL=${wrongUrl}\n`)

  expect(run(wrongUrl, ['--settings', right, 'sites', 'list', '--json'])).toMatchObject({ status: 0, stdout: '[]\n' })
  expect(run(db.url, ['--settings', wrong, 'sites', 'list'])).toMatchObject({ status: 1 })
})

test('characters that a shell would expand reach the service unchanged', () => {
  const name = `a&b$HOME\`id\`'c'`
  const path = file('special.env', `DATABASE_URL="postgres://postgres@${new URL(db.url).host}/${name}"\n`)

  expect(run(wrongUrl, ['--settings', path, 'sites', 'list'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(`database "${name}" does not exist`),
  })
})
