import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { startApp } from '#test/app.ts'
import { findText } from '#test/data/find-text.ts'
import { seedControlledSite, seedKey, seedPerson, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand } from '#test/service.ts'
import { supervise } from '../faults/cluster.ts'

const app = await startApp()
const { db } = app
const { session } = await seedPerson(db, { role: 'admin' })
const [guest, reference, staying] = ['Quastenflosser', 'QF-4711', 'Nautilus']

const send = async (method: string, path: string, body: object) => {
  const answer = await app.call(`/api/v2${path}`, { method, session, body: JSON.stringify(body) })
  expect(answer.status).toBeLessThan(300)
  return answer.json()
}
const findRows = async (sql: string) => (await db.query(sql)).rows
const countsOfDays = () => findRows('select * from site_days order by site_id, day')

/** Vouchers whose creation, row of a batch or event was erased without them, or the other way round. */
const halfForgotten = () =>
  findRows(`select v.id from vouchers v
      left join creations c on c.site_id = v.site_id and c.id = v.creation_id
      left join batch_rows r on r.site_id = v.site_id and r.voucher_id = v.id
     where (v.erased_at is null) <> (v.name <> '–') or v.erased_at is not null and v.reference is not null
        or (v.erased_at is null) <> (c.request_hash_key is null)
        or r.number is not null and (v.erased_at is null) <> (r.erased_at is null)`)

test('after forgetting, the name is in no column, no log and no backup; a worker that dies meanwhile leaves nothing half-done', async () => {
  const [sink, rejecting] = [await startWebhookSink(), await startWebhookSink()]
  rejecting.answerWith(({ body }) => ({ status: 500, body }))
  for (const [name, url] of Object.entries({
    Sink: sink.url,
    Rejecting: rejecting.url,
    Dead: 'http://127.0.0.1:9/hook',
  }))
    await addWebhook({ db, keyring: testKeyring }, testActor, {
      name,
      format: 'generic',
      url,
      siteIds: undefined,
      events: ['voucher.created', 'batch.finished', 'controller.unreachable'],
    })
  const environment = { DATABASE_URL: db.url, LOG_LEVEL: 'trace' }
  const worker = await supervise('worker', 'worker', environment)
  const api = await supervise('api', 'api', environment)
  const { key } = await seedKey(db, { scope: 'write' })
  /** Sends a request to the process of the api. Its answer does not matter. */
  const ask = (path: string, body?: object | string) =>
    call(api.url + path, {
      headers: { 'x-api-key': key, 'idempotency-key': randomUUID() },
      ...(body && { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const simulator = await startSimulator()
  const site_id = await seedControlledSite(db, simulator)
  const names = (count: number) => Array.from({ length: count }, (_, i) => `${guest} ${i}`)
  for (const name of names(3))
    await send('POST', '/vouchers', {
      site_id,
      name,
      reference,
      expire_minutes: 60,
      valid_until: '2099-01-01T00:00:00Z',
    })
  const batch = await send('POST', '/batches', { site_id, names: names(size(20, 500)), reference, expire_minutes: 60 })
  await send('POST', '/vouchers', { site_id, name: staying, reference: 'N-1', expire_minutes: 60 })
  expect((await ask('/api/vouchers.php', { site_id, name: guest })).status).toBe(201)
  for (const path of [
    `vouchers?site_id=${site_id}&name=${guest}&reference=${reference}&sort=${guest}`,
    `vouchers/by-name?site_id=${site_id}&name=${guest}`,
    `nowhere?name=${guest}`,
  ])
    expect((await ask(`/api/v2/${path}`)).text).toBeDefined()
  for (const body of [{ site_id: 'x', name: guest, [guest]: reference }, `{"name":"${guest}`])
    for (const path of ['/api/v2/vouchers', '/api/v2/batches', '/api/v2/revocations', '/api/vouchers.php'])
      expect((await ask(path, body)).status).toBe(400)
  await vi.waitFor(
    async () => {
      expect(await findRows('select from batches where finished_at is null')).toEqual([])
      expect(await findRows('select from deliveries where attempts = 0')).toEqual([])
    },
    { timeout: 60_000, interval: 100 },
  )
  const waiting = await findRows(`select id, next_attempt_at from deliveries where state = 'pending' order by id`)
  expect(waiting.length).toBeGreaterThan(8)
  expect(await findRows('select from delivery_attempts where reply is not null')).not.toEqual([])
  const renamed = (await app.call(`/api/v2/vouchers?batch_id=${batch.id}&limit=1`, { session })).json().vouchers[0]
  await send('PATCH', `/vouchers/${renamed.id}`, { name: `${guest} umbenannt`, valid_until: '2098-01-01T00:00:00Z' })

  await simulator.stop() // an outage, from now on
  expect((await ask('/api/v2/vouchers', { site_id, name: staying, reference: 'N-1' })).status).toBe(500)
  await db.query(
    `update vouchers set status = 'expired', end_told = true, expires_at = now() - interval '40 days'
      where name like '${guest}%'`,
  )
  await db.query(`update batches set finished_at = now() - interval '40 days'`)
  const days = await countsOfDays()
  expect((await findText(db, guest, reference)).length).toBeGreaterThan(5)

  worker.dieAt('before guests are forgotten')
  await send('PATCH', '/settings/guest-data', { forget_after_days: 30 })
  await vi.waitFor(() => expect(worker.kills).toBe(1), { timeout: 60_000, interval: 20 })
  expect(await halfForgotten()).toEqual([])
  await vi.waitFor(
    async () =>
      expect(await findRows(`select name from settings where name = 'guests_last_forgotten'`)).toHaveLength(1),
    { timeout: 90_000, interval: 100 },
  )

  expect(await halfForgotten()).toEqual([])
  expect(await findRows('select from controller_outages where until is null')).toHaveLength(1)
  expect(await findText(db, guest, reference)).toEqual([])
  const backup = await readBackup()
  expect([backup.includes(guest), backup.includes(reference), backup.includes(staying)]).toEqual([false, false, true])
  for (const { log } of [worker, api]) {
    expect(log.filter((line) => line.includes(guest) || line.includes(reference))).toEqual([])
    expect(log.some((line) => line.includes('listening on') || line.includes('worker is running'))).toBe(true) // it is the whole log
  }
  expect(worker.log.filter((line) => line.includes('guests were forgotten'))).toHaveLength(1)
  expect(await countsOfDays()).toEqual(days)
  expect(await findRows(`select name, reference from vouchers where erased_at is null`)).toEqual([
    { name: staying, reference: 'N-1' },
  ])

  // A delivery that waited is still sent, without the reference. The answer of its receiver is stored without it, too.
  rejecting.received.length = 0
  await db.query(`update deliveries set next_attempt_at = now() - interval '1 second' where state = 'pending'`)
  await db.query(`update pgboss.job set start_after = now() where state < 'active'`)
  await vi.waitFor(() => expect(rejecting.received.length).toBeGreaterThan(3), { timeout: 60_000, interval: 100 })
  const later = rejecting.received.map(({ body }) => body)
  expect(later.filter((body) => body.includes(guest) || body.includes(reference))).toEqual([])
  expect(await findText(db, guest, reference)).toEqual([])
})

/** The text of a fresh backup, as the command writes it for operators. */
async function readBackup(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'forgotten-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'fresh.backup')
  expect(await spawnCommand(db.url, ['backup', file])).toMatchObject({ exitCode: 0 })
  const { stdout } = await promisify(execFile)('pg_restore', ['--file=-', file], { maxBuffer: 2 ** 30 })
  return stdout
}
