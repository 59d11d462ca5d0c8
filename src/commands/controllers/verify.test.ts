import { describe, expect, test } from 'vitest'
import { addController } from '#domain/controllers/add-controller.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { testActor } from '#test/data/seed.ts'
import { testDrivers, testKeyring } from '#test/environment.ts'
import { startSimulator } from '#test/network/simulator.ts'

const db = await createTestDatabase()
const sites = ['--site', 'default=Default', '--site', 'geheimer-ort=Keller', '--username', 'verwalterin']
const console = await startSimulator('--https', ...sites)
const selfHosted = await startSimulator('--https', '--flavour', 'self-hosted', ...sites)
const kinds = [
  { name: 'Schlüssel', on: console, driver: 'unifi-integration', credentials: { apiKey: console.apiKey } },
  { name: 'Konsole', on: console, driver: 'unifi-classic', credentials: console.login },
  { name: 'Selbst', on: selfHosted, driver: 'unifi-classic', credentials: selfHosted.login },
]
for (const { on, ...kind } of kinds) {
  const certificatePin = parseFingerprint(on.fingerprint as string) as Buffer
  await addController({ db, keyring: testKeyring, drivers: testDrivers }, testActor, {
    ...kind,
    address: on.url,
    certificatePin,
  })
}
const run = (args: string[], stdin = '') => runCommand(db.url, ['controllers', 'verify', ...args], { stdin })

describe.each(kinds)('$name', ({ name, on, driver }) => {
  test('`controllers verify` prints a report without names, addresses, codes and ids; exit code 0', async () => {
    const { exitCode, stdout, stderr } = await run([name, '--site', 'geheimer-ort', '--yes'])
    const made = (await on.vouchers()).at(-1)

    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      new RegExp(
        `^\`\`\`text\nservice +\\d+\\.\\d+\\.\\d+\nnode +v24\\S+\ndriver +${driver}\ncontroller_version +10\\.3\\.55\n\n` +
          'step +result +ms +calls +detail\nprobe +ok +\\d+ +\\d+ +-\n',
      ),
    )
    expect(stdout).toMatch(/\ngone +ok .*\n\nobservation +value\nvouchers in the list +\d+\n/)
    expect(made).toMatchObject({
      name: expect.stringMatching(/^voucher-service verify \d{4}-\d\d-\d\d$/),
      authorizedGuestLimit: 1,
      timeLimitMinutes: 1,
      deleted: true,
    })
    const { port } = new URL(on.url)
    const secrets = [
      name,
      port,
      '127.0.0.1',
      'geheimer-ort',
      'Keller',
      'verwalterin',
      made?.code,
      made?.id,
      made?.siteId,
    ]
    for (const secret of [...secrets, on.apiKey, on.login.password, on.fingerprint])
      expect(stdout).not.toContain(secret)
  })
})

test('`controllers verify` prints JSON with the usual field names', async () => {
  const { exitCode, json } = await run(['Schlüssel', '--yes', '--json'])

  expect(exitCode).toBe(0)
  expect(json()).toMatchObject({
    driver: 'unifi-integration',
    controller_version: '10.3.55',
    service: expect.any(String),
  })
  expect(json().steps[0]).toEqual({ step: 'probe', result: 'ok', ms: expect.any(Number), calls: 2, detail: '' })
  expect(json().observations[0]).toEqual({ observation: 'vouchers in the list', value: expect.any(Number) })
})

test('`controllers verify` asks first, and makes a voucher only after a yes', async () => {
  await console.forget()
  const answers = await Promise.all(['', 'n\n', 'maybe\n'].map((answer) => run(['Schlüssel'], answer)))
  const created = await console.creates()
  const agreed = await run(['Schlüssel'], 'y\n')

  for (const { exitCode, stdout, stderr } of answers)
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringContaining('Nothing was done.')])
  expect(created).toBe(0)
  expect([agreed.exitCode, await console.creates()]).toEqual([0, 1])
})

test('a failed step gives exit code 1, and a voucher that may still exist is reported', async () => {
  await console.forget()
  await console.fault('forbidden', { on: 'delete' })
  const { exitCode, stdout, stderr } = await run(['Konsole', '--yes'])

  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/\ndelete +failed +\d+ +1 +forbidden, refused, status 403\n/)
  expect(stderr).toMatch(
    /^A voucher "voucher-service verify [\d-]+" may still exist on the controller. Delete it there.\n$/,
  )
})

test.each([
  [['Nirgends'], 'No controller is called "Nirgends". List all controllers with `voucher-service controllers list`.'],
  [
    ['Ohne'],
    'No credentials are stored for "Ohne". Enter them with `voucher-service controllers set Ohne --new-secret`. Add `--username …` if the controller signs in with a user name and password.',
  ],
])('%j is rejected with one message', async (args, sentence) => {
  await db.query(
    `insert into controllers (id, name, driver, address) values (gen_random_uuid(), 'Ohne', 'unifi-classic', 'https://x')
     on conflict do nothing`,
  )

  expect(await run([...args, '--yes'])).toMatchObject({ exitCode: 1, stderr: `voucher-service: ${sentence}\n` })
})
