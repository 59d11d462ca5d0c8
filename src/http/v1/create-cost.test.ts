import pg from 'pg'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedWebhook } from '#test/data/seed.ts'
import { report } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'

const simulator = await startSimulator()
const app = await startApp()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })
const statements = watchRequests()

const creations = 20
let made = 0

async function create(path: string, headers: Record<string, string> = {}, siteId = site): Promise<void> {
  made += 1
  const body = JSON.stringify({ site_id: siteId, name: `Gast ${made}` })
  const answer = await app.call(path, { method: 'POST', key, body, headers })
  expect(answer.status).toBe(201)
}

describe('the round trips of a creation, on a connection that is open', () => {
  beforeAll(() => create('/api/vouchers.php')) // measures the clock of the controller

  async function cost(path: string, headers: Record<string, string> = {}, siteId = site): Promise<number> {
    statements.length = 0
    await create(path, headers, siteId)
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

  test('with a webhook, including the job of its delivery', async () => {
    const notified = await seedControlledSite(app.db, simulator)
    await seedWebhook(app.db, [notified])
    await create('/api/vouchers.php', {}, notified)

    expect(await cost('/api/vouchers.php', {}, notified)).toBe(7)
  })
})

test('a creation without a webhook: two durable commits and less than 4 kB of WAL', async () => {
  const first = await walPosition()
  for (let i = 0; i < creations; i++) await create('/api/vouchers.php')
  const { commits, bytes, byRelation } = await readWal(first)
  report('WAL of a creation, bytes', bytes / creations)
  report('WAL of a creation by relation, bytes', byRelation)

  expect(commits / creations).toBe(2)
  expect(bytes / creations).toBeLessThan(4_096)
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

async function walPosition(): Promise<string> {
  await app.db.query('create extension if not exists pg_walinspect')
  const { rows } = await app.db.query<{ at: string }>('select pg_current_wal_insert_lsn() as at')
  return rows[0]?.at as string
}

/**
 * The WAL of the service's own tables since this position. Other databases and the queue write at the same time. A commit
 * counts if it changed one of these tables. Full-page images are left out, because they depend on checkpoints.
 */
async function readWal(first: string): Promise<{ commits: number; bytes: number; byRelation: string }> {
  await app.db.query('select pg_current_xact_id()') // flushes earlier writes
  const { rows } = await app.db.query<{ xid: string; relation: string | null; bytes: number }>(
    `with records as (
       select xid::text, record_length - fpi_length as bytes,
              (regexp_match(block_ref, 'rel \\d+/(\\d+)/(\\d+)')) as place
         from pg_get_wal_records_info($1, pg_current_wal_flush_lsn())
     ), named as (
       select r.xid, r.bytes, c.relname as relation
         from records r join pg_class c on c.relfilenode = r.place[2]::oid
        where r.place[1]::oid = (select oid from pg_database where datname = current_database())
          and c.relnamespace = 'public'::regnamespace and c.relname not like 'api_key%'
     )
     select xid, relation, bytes::integer from named
     union all
     select xid, null, bytes::integer from records where place is null and xid in (select xid from named)`,
    [first],
  )
  const relations = Map.groupBy(rows, ({ relation }) => relation?.replace(/_\d\d(?=_|$)/, '') ?? 'commit')
  const sums = [...relations].map(([name, records]) => ({ name, bytes: sum(records.map(({ bytes }) => bytes)) }))
  return {
    commits: new Set(rows.filter(({ xid }) => xid !== '0').map(({ xid }) => xid)).size,
    bytes: sum(rows.map(({ bytes }) => bytes)),
    byRelation: sums
      .toSorted((a, b) => b.bytes - a.bytes)
      .map(({ name, bytes }) => `${name} ${Math.round(bytes / creations)}`)
      .join(', '),
  }
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
