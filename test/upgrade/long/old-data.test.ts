import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { call } from '#test/network/http-client.ts'
import { program, type Service, spawnCommand, startService } from '#test/service.ts'
import { lastRelease, runnableRelease } from '../build-release.ts'
import { createEmptyDatabase } from '../empty-database.ts'
import { clientWith, createOldData, createV1, type OldData, until } from '../old-data.ts'
import { type Answers, readEverything } from '../read-everything.ts'

test('after the upgrade, all answers contain the old data, and everything goes on; the last release still reads all of it', async () => {
  const from = await runnableRelease(lastRelease)
  const url = await createEmptyDatabase()
  await spawnCommand(url, ['migrate'], { script: from })
  const old = await createOldData(url, from)
  const before = await withApi(url, from, (api) => readEverything(api, old.sessions.administrator))

  expect(await spawnCommand(url, ['migrate'])).toMatchObject({ exitCode: 0 })
  const api = await startService(url)
  const after = await readEverything(api, old.sessions.administrator)

  expect(failedPaths(before)).toEqual([])
  expect(before['/hold']).toMatchObject({ body: { held_since: expect.any(String) } })
  expect(Object.keys(before).length).toBeGreaterThan(60)
  expect(after).toMatchObject(before)
  await expectCredentialsToWork(api, old)
  await expectWorkToGoOn(api, { url, old })

  const now = await readEverything(api, old.sessions.administrator)
  await api.stop()
  expect(now).toMatchObject(await withApi(url, from, (older) => readEverything(older, old.sessions.administrator)))
})

async function withApi<T>(url: string, script: string, work: (api: Service) => Promise<T>): Promise<T> {
  const api = await startService(url, {}, 'api', script)
  const result = await work(api)
  await api.stop()
  return result
}

function failedPaths(answers: Answers): string[] {
  return Object.entries(answers).flatMap(([path, { status }]) => (status === 200 ? [] : [`${path}: ${status}`]))
}

/** The sessions, passwords, links and keys of the old version. */
async function expectCredentialsToWork(api: Service, old: OldData): Promise<void> {
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', origin: api.url }
    return (await call(`${api.url}/api/v2${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status
  }
  const listWith = async (key: string) =>
    (await call(`${api.url}/api/vouchers.php?site_id=${old.site}`, { headers: { 'x-api-key': key } })).status

  expect((await clientWith(api, old.sessions.desk)('GET', '/v2/me')).name).toBe('Bert')
  expect(await post('/session', { email: old.email, password: old.password })).toBe(200)
  expect(await post('/password-links', { token: old.openLink, new_password: old.password })).toBe(200)
  expect(await Promise.all(Object.values(old.keys).map(listWith))).toEqual([200, 200, 200])
}

/** The hold ends; the waiting batch, revocation and notifications are carried out, and the controller's and the webhook's secret are known. */
async function expectWorkToGoOn(api: Service, { url, old }: { url: string; old: OldData }): Promise<void> {
  const send = clientWith(api, old.sessions.administrator)
  expect(await spawnCommand(url, ['resume', '--yes'])).toMatchObject({ exitCode: 0 })
  const worker = await startService(url, {}, 'worker', program)

  expect((await createV1(api, old.keys.created, old.repeated)).code).toBe(old.repeated.code)
  const fresh = { idempotencyKey: 'nach-dem-upgrade', body: old.repeated.body }
  const { code } = await createV1(api, old.keys.imported, fresh)
  await until(async () => (await send('GET', `/v2/batches/${old.waiting.batch}`)).state === 'done')
  await until(async () => (await send('GET', `/v2/revocations/${old.waiting.revocation}`)).state === 'done')
  const { received } = old.webhook.sink
  await until(async () => received.some(({ body }) => body.includes(old.waiting.batch)))

  const webhook = new Webhook(old.webhook.secret)
  for (const { body, headers } of received)
    expect(() => webhook.verify(body, headers as Record<string, string>)).not.toThrow()
  expect((await old.simulator.vouchers()).map((voucher) => voucher.code)).toContain(code)
  expect(await worker.stop()).toBe(0)
}
