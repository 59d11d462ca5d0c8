import { expect, test, vi } from 'vitest'
import { startApp, startWorkerOf } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { itemOf } from '#test/public-id.ts'
import { findDueBatch } from '../batches/batches.queries.ts'
import { runBatchAlone } from './run-batch.ts'

const app = await startApp()
const { db } = app
const never = new AbortController().signal

/** Two keys with a site each, on one controller. */
async function startNeighbours() {
  const simulator = await startSimulator('--site', 'default=default', '--site', 'branch=branch')
  const first = await seedControlledSite(db, simulator)
  const { rows } = await db.query<{ id: number; controllerId: string }>(
    `insert into sites (name, controller_id, controller_site, active)
     select 'branch', controller_id, 'branch', true from sites where id = $1
     returning id, controller_id as "controllerId"`,
    [first],
  )
  const { id: second, controllerId } = rows[0] as { id: number; controllerId: string }
  const names = new Map<string, string>()
  const neighbour = async (site_id: number) => {
    const { key } = await seedKey(db, { scope: 'write' })
    return {
      /** Opens a batch of vouchers with different names, so that each one needs a call. */
      async open(name: string, count: number): Promise<string> {
        const body = JSON.stringify({ site_id, names: range(count).map((n) => `${name} ${n}`), expire_minutes: 60 })
        const { id } = (await app.call('/api/v2/batches', { method: 'POST', key, body })).json()
        names.set(itemOf(id).id, name)
        return id
      },
      read: async (id: string) => (await app.call(`/api/v2/batches/${id}`, { key })).json(),
    }
  }
  const nextDue = async () => {
    const due = await findDueBatch(db, controllerId)
    return due && { due, name: names.get(due.id) as string }
  }
  /** Runs due batches, one call in each turn. Returns whose turn it was. */
  async function runTurns(count: number): Promise<string[]> {
    const turns: string[] = []
    for (let next = await nextDue(); next && turns.length < count; next = await nextDue()) {
      turns.push(next.name)
      await runBatchAlone(app.context, next.due, never, 0)
    }
    return turns
  }
  return { simulator, one: await neighbour(first), two: await neighbour(second), nextDue, runTurns }
}

test('the batches of a controller take turns: first between their makers, then between the batches of a maker', async () => {
  const { one, two, runTurns } = await startNeighbours()
  for (const n of range(4)) await one.open(`a${n}`, 3)
  for (const n of range(2)) await two.open(`b${n}`, 2)
  const both = await runTurns(8)
  const alone = await runTurns(100)

  expect(both).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b0', 'a3', 'b1'])
  expect(alone).toEqual(['a0', 'a1', 'a2', 'a3', 'a0', 'a1', 'a2', 'a3'])
})

test('a new batch waits for one turn of another maker, however many batches that maker has', async () => {
  const { one, two, runTurns } = await startNeighbours()
  for (const n of range(4)) await one.open(`a${n}`, 3)
  await runTurns(2)
  await two.open('b', 1)

  expect(await runTurns(2)).toEqual(['a2', 'b'])
})

test('while one worker runs a batch of a maker, another worker runs a batch of another maker', async () => {
  const { simulator, one, two, nextDue } = await startNeighbours()
  for (const n of range(4)) await one.open(`a${n}`, 1)
  await two.open('b', 1)
  const first = await nextDue()
  await simulator.fault('slow', { delayMs: 3_000, times: 1 })
  const running = first && runBatchAlone(app.context, first.due, never)
  await vi.waitFor(async () => expect((await simulator.requests()).length).toBeGreaterThan(0), 20_000)
  const meanwhile = await nextDue()
  await running

  expect([first?.name, meanwhile?.name]).toEqual(['a0', 'b'])
})

test('a single voucher does not wait behind the large batches of another key on its controller', async () => {
  const { simulator, one, two } = await startNeighbours()
  await simulator.fault('slow', { delayMs: 200, times: 100_000 })
  await startWorkerOf(app)
  const large: string[] = []
  for (const n of range(10)) large.push(await one.open(`a${n}`, 1_000))
  await vi.waitFor(async () => expect((await one.read(large[0] as string)).made).toBeGreaterThan(0), 30_000)
  const single = await two.open('b', 1)
  await vi.waitFor(async () => expect(await two.read(single)).toMatchObject({ state: 'done', made: 1 }), {
    timeout: 60_000,
    interval: 200,
  })
  const states = await Promise.all(large.map(async (id) => (await one.read(id)).state))

  expect(new Set(states)).toEqual(new Set(['running']))
})
