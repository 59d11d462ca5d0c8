import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { startSimulator } from '#test/network/simulator.ts'

const db = await createTestDatabase()
const console = await startSimulator('--https')
const run = (args: string[], stdin = '') => runCommand(db.url, args, { stdin })
const add = (name: string, ...more: string[]) => {
  const place = ['--driver', 'unifi-integration', '--address', console.url]
  return run(['controllers', 'add', '--name', name, ...place, '--secret-file', '-', ...more], console.apiKey)
}

test.each([
  ['controllers sites', ['controllers', 'sites', 'Haus 1']],
  ['sites add', ['sites', 'add', '--name', 'Haus', '--controller', 'Haus 1']],
])('`%s` without a pin shows the certificate and the command that pins it; nothing is sent', async (_command, args) => {
  await add('Haus 1')
  const { exitCode, stdout, stderr } = await run(args)

  expect([exitCode, stdout]).toEqual([1, ''])
  expect(stderr).toContain(`The certificate of "Haus 1" is not accepted. ${console.fingerprint} is not pinned`)
  expect(stderr).toContain(`voucher-service controllers set 'Haus 1' --pin ${console.fingerprint} --new-secret`)
  expect(await console.requests()).toEqual([])
})

test('the printed command pins the certificate, and the sites are listed then', async () => {
  await add('Haus 2')
  const { stderr } = await run(['controllers', 'sites', 'Haus 2'])
  const [, pin = ''] = /--pin ([0-9A-F:]+) /.exec(stderr) ?? []
  await run(['controllers', 'set', 'Haus 2', '--pin', pin, '--new-secret'], console.apiKey)
  const { exitCode, stdout } = await run(['controllers', 'sites', 'Haus 2'])

  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Default')])
})

test('another certificate than the pinned one is named', async () => {
  await add('Haus 3', '--pin', Array(32).fill('AB').join(':'))
  const { stderr } = await run(['controllers', 'sites', 'Haus 3'])

  expect(stderr).toContain(`${console.fingerprint} is not the pinned AB:AB`)
})

test('a controller that does not answer is not reported as a certificate problem', async () => {
  await run(
    [
      'controllers',
      'add',
      '--name',
      'Haus 4',
      '--driver',
      'unifi-integration',
      '--address',
      'https://127.0.0.1:9',
      '--secret-file',
      '-',
    ],
    'k',
  )

  const { stderr } = await run(['controllers', 'sites', 'Haus 4'])
  expect(stderr).toContain('could not be read: The controller cannot be reached (ECONNREFUSED)')
})
