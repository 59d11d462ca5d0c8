import { expect, test, vi } from 'vitest'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { startTestWorker } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { call } from '#test/network/http-client.ts'
import { startService } from '#test/service.ts'

// A process knows its own ports. PROTECTED_PORTS names those of other processes on the machine.
const metricsPort = await freePort()
const port = await freePort()
const env = { PROTECTED_PORTS: `${port}, ${metricsPort}`, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' }
const worker = await startTestWorker(env)
const api = await startService(worker.db.url, { PORT: String(port), METRICS_PORT: String(metricsPort) })
const urls = [`${api.url}/hook`, `http://127.0.0.1:${metricsPort}/hook`]

test('a worker sends nothing to the ports of an api on its machine', async () => {
  await startService(worker.db.url, env, 'worker')
  for (const [i, url] of urls.entries())
    await addWebhook({ db: worker.db, keyring: testKeyring }, testActor, {
      name: `own ${i}`,
      format: 'generic',
      url,
      siteIds: undefined,
    })

  await worker.notify({ id: await seedSite(worker.db), name: 'Haus' })

  const { rows: deliveries } = await worker.db.query('select id from deliveries')
  const attempts = async () =>
    (await worker.db.query('select distinct delivery_id as id, status, error from delivery_attempts order by 1')).rows
  const notAllowed = deliveries.map(({ id }) => ({ id, status: null, error: 'address not allowed' }))
  expect(deliveries).toHaveLength(2)
  await vi.waitFor(async () => expect(await attempts()).toEqual(expect.arrayContaining(notAllowed)), 30_000)
  expect(await attempts()).toHaveLength(2)
  await call(`${api.url}/healthz`) // the api answers, and its log has no request to the path of the webhook
  expect(api.log.filter((line) => line.includes('/hook'))).toEqual([])
})

test('a command does not call these ports as a controller', async () => {
  const look = (address: string) =>
    runCommand(worker.db.url, ['controllers', 'fingerprint', address], { env: { ...env, PORT: '0' } })
  const { stderr: allowed } = await look(`https://127.0.0.1:${await freePort()}`)

  expect(allowed).toContain('ECONNREFUSED')
  for (const url of urls)
    expect(await look(url.replace('http:', 'https:').replace('/hook', ''))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('not allowed'),
    })
})
