import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { decrypt, encrypt } from '#lib/cipher.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { timeLimit } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const toPostgres = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(db.url).port) || 5432 })
const proxied = new URL(db.url)
proxied.host = `127.0.0.1:${toPostgres.port}`
const simulator = await startSimulator()
const api = await startService(db.url)
const { key } = await seedKey(db, { scope: 'write' })

function post(url: string, siteId: number, more: { name?: string; headers?: Record<string, string> } = {}) {
  const body = JSON.stringify({ site_id: siteId, name: more.name ?? 'Gast' })
  return call(`${url}/api/vouchers.php`, { method: 'POST', headers: { 'x-api-key': key, ...more.headers }, body })
}

const recorded = async (siteId: number) =>
  (await db.query<{ code: string }>('select code from vouchers where site_id = $1', [siteId])).rows.map(
    ({ code }) => code,
  )

test('an unexpected error gets 500 and a fixed message with the request id, and the log has the details', async () => {
  const site = await seedControlledSite(db, simulator)
  await db.query(`update controllers set secret = $2 where id = (select controller_id from sites where id = $1)`, [
    site,
    encrypt(testKeyring, { table: 'controllers', column: 'secret', row: 'another row' }, '{}'),
  ])
  const answer = await post(api.url, site)
  await wait(200)
  const line = api.log.find(
    (entry) => entry.includes('request failed') && entry.includes(String(answer.headers['x-request-id'])),
  )

  expect([answer.status, answer.json()]).toEqual([
    500,
    { error: 'server_error', message: `Interner Fehler (${answer.headers['x-request-id']})` },
  ])
  expect(line).toContain('cannot be decrypted')
  await db.query('update controllers set secret = null where id = (select controller_id from sites where id = $1)', [
    site,
  ])
})

test('an unreachable controller causes one line in the log, with its id and without a stack', async () => {
  const site = await seedControlledSite(db, { url: 'http://127.0.0.1:1', apiKey: 'x' })
  const { rows } = await db.query<{ id: string }>('select controller_id as id from sites where id = $1', [site])
  const answer = await post(api.url, site)
  await wait(200)
  const line = api.log.find(
    (entry) => entry.includes('request failed') && entry.includes(String(answer.headers['x-request-id'])),
  )

  expect(JSON.parse(line as string)).toMatchObject({
    level: 40,
    failure: 'controller_unreachable',
    site,
    controller: rows[0]?.id,
    because: 'The controller cannot be reached (ECONNREFUSED)',
  })
  expect(line).not.toContain('stack')
})

test('a voucher is recorded even if its client disconnects and the process gets SIGTERM', async () => {
  const site = await seedControlledSite(db, simulator)
  const service = await startService(db.url)
  await simulator.fault('slow', { delayMs: 2_500 })
  const before = (await simulator.vouchers()).length
  const leaving = fetch(`${service.url}/api/vouchers.php`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: JSON.stringify({ site_id: site, name: 'x' }),
    signal: AbortSignal.timeout(1_200),
  })
  await expect(leaving).rejects.toThrow()

  expect(await service.stop()).toBe(0)
  const made = (await simulator.vouchers()).slice(before)
  expect(made).toHaveLength(1)
  expect(await recorded(site)).toEqual(made.map(({ code }) => code))
})

test('a creation under way succeeds even if the secret is encrypted again and the address changes', async () => {
  const site = await seedControlledSite(db, simulator)
  await post(api.url, site)
  await simulator.fault('slow', { times: 2, delayMs: 2_000 })
  const first = post(api.url, site)
  await wait(800)
  const { rows } = await db.query<{ id: string; secret: string }>(
    'select id, secret from controllers where id = (select controller_id from sites where id = $1)',
    [site],
  )
  const [{ id, secret }] = rows as [{ id: string; secret: string }]
  const place = { table: 'controllers', column: 'secret', row: id }
  const encryptedAgain = encrypt(testKeyring, place, decrypt(testKeyring, place, secret))
  await db.query(`update controllers set secret = $2, address = address || '/' where id = $1`, [id, encryptedAgain])
  const second = post(api.url, site)

  expect([(await first).status, (await second).status]).toEqual([201, 201])
})

test('a voucher is recorded even if a webhook is removed at the same moment', async () => {
  const site = await seedControlledSite(db, simulator)
  await db.query(`insert into webhooks (id, name, format, url) values (gen_random_uuid(), 'going', 'generic', $1)`, [
    encrypt(testKeyring, { table: 'webhooks', column: 'url', row: 'x' }, 'http://127.0.0.1:1/'),
  ])
  const creating = Promise.withResolvers<number>()
  await db.transaction(async (tx) => {
    await tx.query(`delete from webhooks where name = 'going'`)
    post(api.url, site).then(({ status }) => creating.resolve(status), creating.reject)
    await wait(500)
  })

  expect(await creating.promise).toBe(201)
  expect(await recorded(site)).toHaveLength(1)
})

test('a creation gets 201 and is recorded once even if PostgreSQL is away when the controller answers', async () => {
  const site = await seedControlledSite(db, simulator)
  const service = await startService(proxied.href)
  await post(service.url, site)
  await simulator.fault('slow', { delayMs: 2_500 })
  const creating = post(service.url, site)
  await wait(1_200)
  toPostgres.cut()
  await wait(1_500)
  toPostgres.heal()
  const answer = await creating

  expect(answer.status).toBe(201)
  expect(await recorded(site)).toHaveLength(2)
})

test('a second attempt keeps the row of the first one', async () => {
  const site = await seedControlledSite(db, simulator)
  const again = () => post(api.url, site, { headers: { 'idempotency-key': 'twice' } })
  await simulator.fault('refuse')
  expect((await again()).status).toBe(500)
  expect((await again()).status).toBe(201)
  const { rows } = await db.query<any>(
    'select id, state, idempotency_key, superseded_by from creations where site_id = $1 order by sent_at',
    [site],
  )

  expect(rows).toEqual([
    { id: expect.any(String), state: 'rejected', idempotency_key: null, superseded_by: rows[1].id },
    { id: expect.any(String), state: 'recorded', idempotency_key: 'twice', superseded_by: null },
  ])
})

test('a repeat is rejected at once while the first request is under way, and does not wait for it', async () => {
  const own = await startSimulator()
  const site = await seedControlledSite(db, own)
  const attempt = () => post(api.url, site, { headers: { 'idempotency-key': 'queued' } })
  await own.fault('slow', { times: 4, delayMs: 3_000 })
  const others = [1, 2, 3].map(() => post(api.url, site))
  const first = attempt()
  await wait(1_000)
  const begin = performance.now()
  const repeat = await attempt()

  expect(repeat.status).toBe(409)
  expect(performance.now() - begin).toBeLessThan(timeLimit(1_000))
  const made = await first
  await Promise.all(others)
  expect((await attempt()).text).toBe(made.text)
})

test('a name of 60,000 spaces is rejected at once', async () => {
  const site = await seedControlledSite(db, simulator)
  const begin = performance.now()
  const answer = await post(api.url, site, { name: `x${' '.repeat(60_000)}x` })

  expect(answer.status).toBe(400)
  expect(performance.now() - begin).toBeLessThan(timeLimit(500))
})
