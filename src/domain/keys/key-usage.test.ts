import { expect, test } from 'vitest'
import { createCalendar, machineClock } from '#lib/clock.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey } from '#test/data/seed.ts'
import { prefixOf } from './key.ts'
import { countKeyUsage } from './key-usage.ts'

const db = await createTestDatabase()

test.each(['flush', 'stop'] as const)('%s also waits for counts that are being written already', async (end) => {
  const { id, key } = await seedKey(db)
  const usage = countKeyUsage({ db, clock: machineClock, today: createCalendar('UTC') }, (error) => {
    throw error
  })
  usage.count({ id, prefix: prefixOf(key) as string }, true)
  const ended: string[] = []

  let writing: Promise<unknown> = Promise.resolve()
  let ending: Promise<unknown> = Promise.resolve()
  await db.transaction(async (tx) => {
    await tx.query('lock table api_key_days')
    writing = usage.flush().then(() => ended.push('written'))
    ending = usage[end]().then(() => ended.push(end))
    await db.query('select 1') // a round trip: more than enough time for a promise that waits for nothing
    ended.push('unlocked')
  })
  await Promise.all([writing, ending])
  await usage.stop()

  expect(ended).toEqual(['unlocked', 'written', end])
})
