import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const db = await createTestDatabase()
const run = (args: string[], stdin = '') => runCommand(db.url, ['controllers', ...args], { stdin })
const pin = Array(32).fill('AB').join(':')
await run(
  ['add', '--name', "Haus 'A'", '--driver', 'unifi-integration', '--address', 'https://a', '--secret-file', '-'],
  'hunter2',
)

test('a new address erases the secret; the message has the command that enters it again', async () => {
  const { exitCode, stdout, stderr } = await run(['set', "Haus 'A'", '--address', 'https://b', '--json'])

  expect([exitCode, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ address: 'https://b', has_secret: false }),
  ])
  expect(stderr).toBe(
    'The stored API key was erased because the address changed. Enter it again with: ' +
      String.raw`voucher-service controllers set 'Haus '\''A'\''' --secret-file …` +
      '\n',
  )
  expect((await run(['list'])).stdout).toMatch(/has_secret .*\n.* false /)
})

test('a new secret is read from standard input, from the prompt of --new-secret, and from a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secret-'))
  onFileEnd(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'key.txt'), 'hunter4\n')
  const entering = [
    await run(['set', "Haus 'A'", '--secret-file', '-', '--rename', 'a', '--pin', pin, '--json'], 'hunter2\n'),
    await run(['set', 'a', '--new-secret', '--no-pin', '--json'], 'hunter3\n'),
    await run(['set', 'a', '--secret-file', join(folder, 'key.txt'), '--json']),
  ]

  expect(entering.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(Array(3).fill([0, '']))
  expect(entering.map((entered) => entered.json())).toMatchObject([
    { name: 'a', has_secret: true, certificate_pin: pin },
    { name: 'a', has_secret: true, certificate_pin: null },
    { name: 'a', has_secret: true, certificate_pin: null },
  ])
  expect(JSON.stringify(entering)).not.toContain('hunter')
})

test.each([
  [['set', 'a'], 1, 'Nothing to change was given'],
  [['set', 'a', '--new-secret'], 1, 'Standard input is empty.'],
  [['set', 'a', '--username', 'u', '--new-secret'], 1, 'Standard input is empty.'],
  [['set', 'b', '--no-pin'], 1, 'No controller is called "b".'],
  [['set', 'a', '--new-secret', '--secret-file', '-'], 2, 'cannot be used with'],
  [['set', 'a', '--pin', 'AB:CD'], 2, 'SHA-256 fingerprint'],
])('%j is rejected with exit code %i', async (args, exitCode, message) => {
  const refused = await run(args)

  expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([exitCode, '', expect.stringContaining(message)])
})
