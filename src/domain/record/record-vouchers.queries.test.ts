import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })

test('PostgreSQL plans the two statements of a creation once for each connection, not for each execution', async () => {
  const siteId = await seedControlledSite(app.db, await startSimulator())
  const body = JSON.stringify({ site_id: siteId, name: 'Gast' })
  for (let i = 0; i < 20; i++) await app.call('/api/vouchers.php', { method: 'POST', key, body })
  const { rows } = await app.context.db.query<{ name: string; once: number; each: number }>(
    'select name, generic_plans::integer as once, custom_plans::integer as each from pg_prepared_statements',
  )

  for (const name of ['open creation', 'record voucher']) {
    const plans = rows.find((row) => row.name === name)
    expect(plans?.each).toBe(5) // PostgreSQL tries five
    expect(plans?.once).toBeGreaterThan(10)
  }
})
