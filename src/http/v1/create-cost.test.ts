import pg from 'pg'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedWebhook } from '#test/data/seed.ts'
import { bytesByRelation, connectToWal, sumBytes } from '#test/data/wal.ts'
import { setUpMail } from '#test/mail.ts'
import { report } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'

const simulator = await startSimulator()
const app = await startApp()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })
const statements = watchRequests()

const creations = 20
let made = 0

async function create(
  path: string,
  headers: Record<string, string> = {},
  siteId = site,
  more: object = {},
): Promise<void> {
  made += 1
  const body = JSON.stringify({ site_id: siteId, name: `Gast ${made}`, ...more })
  const answer = await app.call(path, { method: 'POST', key, body, headers })
  expect(answer.status).toBe(201)
}

describe('the round trips of a creation, on a connection that is open', () => {
  beforeAll(() => create('/api/vouchers.php')) // measures the clock of the controller

  async function cost(
    path: string,
    headers: Record<string, string> = {},
    siteId = site,
    more: object = {},
  ): Promise<number> {
    statements.length = 0
    await create(path, headers, siteId, more)
    return statements.length
  }

  test('API v1', async () => {
    expect(await cost('/api/vouchers.php')).toBe(3)
  })

  test('API v1 with an Idempotency-Key', async () => {
    expect(await cost('/api/vouchers.php', { 'idempotency-key': 'a' })).toBe(3)
  })

  test('API v2, which also reads the voucher for its answer', async () => {
    expect(await cost('/api/v2/vouchers')).toBe(4)
  })

  test('API v2 with a message needs no more', async () => {
    await setUpMail(app)
    const message = { email: 'gast@example.org' }

    expect(await cost('/api/v2/vouchers', {}, site, { message: { ...message, language: 'de' } })).toBe(4)
    expect(await cost('/api/v2/vouchers', {}, site, { message })).toBe(4)
    expect(await cost('/api/v2/vouchers')).toBe(4)
  })

  test('with a webhook, including the job of its delivery', async () => {
    const notified = await seedControlledSite(app.db, simulator)
    await seedWebhook(app.db, { siteIds: [notified] })
    await create('/api/vouchers.php', {}, notified)

    expect(await cost('/api/vouchers.php', {}, notified)).toBe(7)
  })
})

test('a creation without a webhook: two durable commits and less than 4 kB of WAL', async () => {
  const wal = await connectToWal(app.db)
  const first = await wal.position()
  for (let i = 0; i < creations; i++) await create('/api/vouchers.php')
  const records = await wal.read(first, await wal.position(), /^(?!api_key)/)
  const commits = new Set(records.filter(({ xid }) => xid !== '0').map(({ xid }) => xid)).size
  report('WAL of a creation, bytes', sumBytes(records) / creations)
  report('WAL of a creation by relation, bytes', bytesByRelation(records, creations))

  expect(commits / creations).toBe(2)
  expect(sumBytes(records) / creations).toBeLessThan(4_096)
})

/** Collects the statements that the service sends for requests. Each one is a round trip, because its answer is awaited. */
function watchRequests(): string[] {
  const sent: string[] = []
  const send = pg.Client.prototype.query
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: any[]) {
    const text = String(args[0]?.text ?? args[0])
    const { application_name: name } = (this as any).connectionParameters
    if (/^voucher-service( requests)?$/.test(name) && !/^select clock_timestamp|api_key_days/.test(text))
      sent.push(text)
    return (send as any).apply(this, args)
  })
  return sent
}
