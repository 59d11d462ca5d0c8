import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { createQueue } from './queue.ts'

const db = await createTestDatabase()

async function startQueue() {
  const queue = createQueue({ url: db.url, supervise: false, onError: () => {} })
  await queue.start()
  onFileEnd(queue.stop)
  return queue
}

const listeners = async () =>
  (
    await db.query<{ pid: number }>(
      `select pid from pg_locks join pg_database d on d.oid = database
        where locktype = 'advisory' and datname = current_database() and granted`,
    )
  ).rows.map(({ pid }) => pid)

const sender = await startQueue()
const soon = { timeout: 20_000, interval: 20 }

test('jobs beyond the limit of their group wait, and other groups are not delayed', async () => {
  const queue = await startQueue()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const groups = ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'c']
  const jobs = groups.map((group, i) => ({ data: { name: group + i }, exclusiveKey: group + i, group }))
  await sender.enqueue(db, 'attempt', jobs)

  await queue.work<{ name: string }>('attempt', { atOnce: 4, perGroupHere: 1 }, async ({ name }) => {
    begun.push(name)
    if (name.startsWith('a')) await new Promise<void>((resolve) => ends.push(resolve))
  })

  await vi.waitFor(() => expect(begun.map(([group]) => group).toSorted()).toEqual(['a', 'b', 'c']), soon)
  for (let done = 1; done <= 6; done++) {
    await vi.waitFor(() => expect(ends).toHaveLength(done), soon)
    expect(begun.filter((name) => name.startsWith('a'))).toHaveLength(done) // one at a time
    ends[done - 1]?.()
  }
  await vi.waitFor(async () => expect((await db.query('select from pgboss.job')).rowCount).toBe(0), soon)
  await queue.stop()
})

test('a wider group leaves places to others, whichever of its groups a job has', async () => {
  const queue = await startQueue()
  const begun: string[] = []
  const end = Promise.withResolvers<void>()
  const ofHost = (widerGroup: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ data: { name: widerGroup }, exclusiveKey: `${widerGroup}${i}`, group: `${widerGroup}${i}`, widerGroup })) // biome-ignore format: one line
  await sender.enqueue(db, 'attempt', [...ofHost('hanging', 30), ...ofHost('other', 2)])

  const limits = { atOnce: 5, perGroupHere: 2, perWiderGroupHere: 3 }
  await queue.work<{ name: string }>('attempt', limits, async ({ name }) => {
    begun.push(name)
    if (name === 'hanging') await end.promise
  })

  await vi.waitFor(() => expect(begun.filter((name) => name === 'other')).toHaveLength(2), soon)
  expect(begun.filter((name) => name === 'hanging')).toHaveLength(3)
  const { rowCount } = await db.query(`select from pgboss.job where state = 'created'`)
  expect(rowCount).toBe(27) // they stay in the queue, where other workers can take them
  end.resolve()
  await vi.waitFor(async () => expect((await db.query('select from pgboss.job')).rowCount).toBe(0), soon)
  await queue.stop()
})

test('two workers share the jobs of a wider group', async () => {
  const begun: string[] = []
  const end = Promise.withResolvers<void>()
  const queues = [await startQueue(), await startQueue()]
  for (const [i, queue] of queues.entries())
    await queue.work('attempt', { atOnce: 5, perGroupHere: 1, perWiderGroupHere: 2 }, async () => {
      begun.push(`worker ${i}`)
      await end.promise
    })
  const jobs = Array.from({ length: 12 }, (_, i) => ({ data: {}, exclusiveKey: `g${i}`, group: `g${i}`, widerGroup: 'host' })) // biome-ignore format: one line
  await sender.enqueue(db, 'attempt', jobs)

  const each = ['worker 0', 'worker 0', 'worker 1', 'worker 1']
  await vi.waitFor(() => expect(begun.toSorted()).toEqual(each), soon)
  end.resolve()
  await vi.waitFor(async () => expect((await db.query('select from pgboss.job')).rowCount).toBe(0), soon)
  expect(begun).toHaveLength(12)
  for (const queue of queues) await queue.stop()
})

test('a job whose wake-up was lost is found by a poll', async () => {
  const queue = await startQueue()
  const handled: string[] = []
  await queue.work<{ name: string }>('attempt', { atOnce: 1 }, async ({ name }) => void handled.push(name))

  await db.transaction((tx) => {
    const withoutWakeUp = { query: tx.query, afterCommit: () => {} }
    return sender.enqueue(withoutWakeUp, 'attempt', [{ data: { name: 'lost' } }])
  })

  await vi.waitFor(() => expect(handled).toEqual(['lost']), soon)
  await queue.stop()
})

test('one worker listens; when it stops, another does', async () => {
  const handled: string[] = []
  const work = async (worker: string) => {
    const queue = await startQueue()
    await queue.work('attempt', { atOnce: 1 }, async () => void handled.push(worker))
    return queue
  }
  const first = await work('first')
  await vi.waitFor(async () => expect(await listeners()).toHaveLength(1), soon)
  const [pid] = await listeners()
  await work('second')
  await sender.enqueue(db, 'attempt', [{ data: {} }])
  await vi.waitFor(() => expect(handled).toHaveLength(1), soon)
  expect(await listeners()).toEqual([pid])

  await first.stop()
  await vi.waitFor(async () => expect((await listeners()).filter((other) => other !== pid)).toHaveLength(1), soon)
  await sender.enqueue(db, 'attempt', [{ data: {} }])
  await vi.waitFor(() => expect(handled.at(-1)).toBe('second'), soon)
})

test('a job whose handler fails is retried, and stays when its worker stops', async () => {
  const queue = await startQueue()
  let attempts = 0
  await queue.work('attempt_slow', { atOnce: 1 }, async () => {
    if (attempts++ === 0) throw new Error('no')
    await new Promise(() => {})
  })
  await queue.enqueue(db, 'attempt_slow', [{ data: {} }])
  await vi.waitFor(() => expect(attempts).toBe(2), soon)

  await queue.stop()
  const { rows } = await db.query('select state, retry_count from pgboss.job')
  expect(rows).toEqual([{ state: 'retry', retry_count: 1 }])
})
