import { expect, test, vi } from 'vitest'
import { type Queryable, Unavailable } from '#db/database.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { createUnsentCreations } from './unsent-creations.ts'

const simulator = await startSimulator()
const app = await startApp()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })

function create(idempotencyKey: string) {
  const body = JSON.stringify({ site_id: site, name: 'Gast' })
  return app.call('/api/vouchers.php', { method: 'POST', key, body, headers: { 'idempotency-key': idempotencyKey } })
}

/** A creation that is not settled: the controller reset the connection. */
async function seedCreation(idempotencyKey: string): Promise<string> {
  await simulator.fault('reset', { on: 'create' })
  await create(idempotencyKey)
  const { rows } = await app.db.query<{ id: string; state: string }>(
    'select id, state from creations where idempotency_key = $1',
    [idempotencyKey],
  )
  expect(rows).toMatchObject([{ state: 'unknown' }])
  return rows[0]?.id as string
}

/** A database that rejects this many statements. */
function failing(times: number): Queryable {
  let left = times
  return {
    query: async (statement, values) => {
      if (left-- > 0) throw new Unavailable('not now')
      return app.db.query(statement, values)
    },
  }
}

const stateOf = async (id: string) =>
  (await app.db.query('select state from creations where id = $1', [id])).rows[0]?.['state']

test('a creation that was not sent is rejected when the database answers again, and its Idempotency-Key can be used', async () => {
  const id = await seedCreation('again')
  const unsent = createUnsentCreations({ db: failing(2) })
  expect((await create('again')).status).toBe(409)

  unsent.add({ siteId: site, id, issuingCounters: null })
  await vi.waitFor(async () => expect(await stateOf(id)).toBe('rejected'), { timeout: 20_000 })
  await unsent.stop()

  expect((await create('again')).status).toBe(201)
})

test('a process that stops makes a last attempt', async () => {
  const id = await seedCreation('last')
  const unsent = createUnsentCreations({ db: failing(1) })

  unsent.add({ siteId: site, id, issuingCounters: null })
  await unsent.stop()

  expect(await stateOf(id)).toBe('rejected')
})

test('a creation that is settled already is not changed', async () => {
  expect((await create('made')).status).toBe(201)
  const { rows } = await app.db.query<{ id: string }>(`select id from creations where idempotency_key = 'made'`)
  const id = rows[0]?.id as string
  const unsent = createUnsentCreations({ db: app.db })

  unsent.add({ siteId: site, id, issuingCounters: null })
  await unsent.stop()

  expect(await stateOf(id)).toBe('recorded')
})
