import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { isoOf } from './database.ts'

const db = await createTestDatabase()
const times = [
  '2026-11-14T09:30:00.000Z',
  '2026-11-14T09:30:00.500Z',
  '2026-11-14T09:30:00.050Z',
  '2026-11-14T09:30:00.120Z',
  '2026-11-14T09:30:00.123Z',
  '0999-02-28T23:59:59.999Z',
  '6111-01-01T00:00:00.000Z',
]

test.each(['UTC', 'Europe/Vienna', 'Asia/Kolkata', 'America/St_Johns'])(
  'a time as PostgreSQL writes it in UTC, whatever the time zone of the session: %s',
  async (zone) => {
    const written = await db.transaction(async (tx) => {
      await tx.query(`select set_config('TimeZone', $1, true)`, [zone])
      const text = `select (unnest($1::timestamptz(3)[]) at time zone 'UTC')::text as text`
      return (await tx.query<{ text: string }>(text, [times])).rows
    })

    expect(written.map(({ text }) => isoOf(text))).toEqual(times)
  },
)
