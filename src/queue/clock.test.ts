import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { createQueue } from './queue.ts'

const twoHoursMs = 2 * 60 * 60 * 1_000

const db = await createTestDatabase()
const queue = createQueue({ url: db.url, supervise: true, onError: () => {} })
await queue.start()
onFileEnd(queue.stop)

test('a process clock that steps back two hours during a job delays no later job', async () => {
  const handled: string[] = []
  onFileEnd(() => vi.useRealTimers())
  await queue.work<{ name: string }>('attempt', { atOnce: 1 }, async ({ name }) => {
    if (name === 'steps back') vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - twoHoursMs })
    handled.push(name)
  })
  const startAfter = new Date(Date.now() + 3_000) // no NOTIFY announces this job; only a poll finds it

  await queue.enqueue(db, 'attempt', [
    { data: { name: 'steps back' }, exclusiveKey: 'c 1' },
    { data: { name: 'due later' }, exclusiveKey: 'c 2', startAfter },
  ])

  await vi.waitFor(() => expect(handled).toEqual(['steps back', 'due later']), { timeout: 30_000 })
  expect(Date.now()).toBeLessThan(startAfter.getTime() - twoHoursMs / 2)
})
