import { expect, test } from 'vitest'
import { addController } from '#domain/controllers/add-controller.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { setController } from '#domain/sites/set-controller.ts'
import { drivers } from '#drivers/registry.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey, testActor } from '#test/data/seed.ts'
import { testKeyring as keyring } from '#test/environment.ts'
import { call } from '#test/network/http-client.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const { key } = await seedKey(db, { scope: 'write' })
const [service, other] = [await startService(db.url), await startService(db.url)]
const pinOf = (simulator: Simulator) => parseFingerprint(simulator.fingerprint as string) as Buffer
const set = (name: string, request: Parameters<typeof setController>[3]) =>
  setController({ db, keyring, drivers }, testActor, name, request)

/** A controller with one site of the same name; returns the number of the site. */
async function record(name: string, simulator: Simulator): Promise<number> {
  await addController({ db, keyring, drivers }, testActor, {
    name,
    driver: 'unifi-integration',
    address: simulator.url,
    credentials: { apiKey: simulator.apiKey },
    ...(simulator.fingerprint && { certificatePin: pinOf(simulator) }),
  })
  return (await addSite(db, testActor, { name, controller: name, controllerSite: 'default', active: true })).id
}

/** Creates a voucher on both processes. Each of them keeps its connection to the controller. */
const create = async (siteId: number) =>
  Promise.all(
    [service, other].map(async ({ url }) => {
      const body = JSON.stringify({ site_id: siteId, name: 'x' })
      const answer = await call(`${url}/api/vouchers.php`, { method: 'POST', headers: { 'x-api-key': key }, body })
      return [answer.status, answer.headers['voucher-outcome']]
    }),
  )
const made = [
  [201, undefined],
  [201, undefined],
]
const nothingMade = [
  [500, 'none'],
  [500, 'none'],
]

test('after the address of a controller changes, no request is sent until the secret is entered', async () => {
  const real = await startSimulator()
  const thief = await startSimulator(`--api-key=${real.apiKey}`)
  const site = await record('moved', real)
  expect(await create(site)).toEqual(made)
  await real.forget()

  const moved = await runCommand(db.url, ['controllers', 'set', 'moved', '--address', thief.url])

  expect([moved.exitCode, moved.stderr]).toEqual([0, expect.stringContaining('was erased because the address changed')])
  for (let i = 0; i < 3; i++) expect(await create(site)).toEqual(nothingMade)
  expect([await real.requests(), await thief.requests()]).toEqual([[], []])

  const again = ['controllers', 'set', 'moved', '--secret-file', '-']
  expect((await runCommand(db.url, again, { stdin: thief.apiKey })).exitCode).toBe(0)
  expect(await create(site)).toEqual(made)
  expect([await real.requests(), await thief.creates()]).toEqual([[], 2])
})

test('changing the address and changing it back does not restore the secret', async () => {
  const [real, thief] = [await startSimulator(), await startSimulator()]
  const site = await record('back', real)
  expect(await create(site)).toEqual(made)
  await real.forget()

  await set('back', { address: thief.url })
  await set('back', { address: real.url })

  expect(await create(site)).toEqual(nothingMade)
  expect([await real.requests(), await thief.requests()]).toEqual([[], []])
})

test('after the pin changes, nothing is sent to the old or the new server until the secret is entered', async () => {
  const real = await startSimulator('--https')
  const thief = await startSimulator('--https', `--api-key=${real.apiKey}`)
  const site = await record('pinned', real)
  expect(await create(site)).toEqual(made)
  await real.forget()

  await set('pinned', { certificatePin: pinOf(thief) })
  expect(await create(site)).toEqual(nothingMade)
  await set('pinned', { address: thief.url })
  expect(await create(site)).toEqual(nothingMade)
  await set('pinned', { certificatePin: null })
  expect(await create(site)).toEqual(nothingMade)
  expect([await real.requests(), await thief.requests()]).toEqual([[], []])

  await set('pinned', { address: real.url, certificatePin: pinOf(real), secret: real.apiKey })
  expect(await create(site)).toEqual(made)
  expect(await thief.requests()).toEqual([])
})
