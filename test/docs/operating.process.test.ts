import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { png } from '#test/data/images.ts'
import { seedControlledSite, seedKey, seedSite } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'
import { openShell, shellBlocksOf } from './shell-blocks.ts'

const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
const shell = openShell()
writeFileSync(join(shell.folder, 'logo.png'), png)

// The page uses the sites 1 and 7. Only an api runs, as the page says: so the batch below waits.
const db = await createTestDatabase()
for (let id = 1; id < 7; id++) await seedSite(db)
expect(await seedControlledSite(db, await startSimulator())).toBe(7)
const service = await startService(db.url)
const { key } = await seedKey(db, { scope: 'write' })
const API = `${service.url}/api/v2`
const batch = await call(`${API}/batches`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ site_id: 7, name: 'Workshop', count: 3, expire_minutes: 60 }),
})
const { id: BATCH } = batch.json()
const variables = { API, KEY: key, BATCH, RESTARTED_AT: new Date(Date.now() - 60_000).toISOString() }

/** Standard input has the password of a Wi-Fi, for the block that asks for one. */
const run = (block: string) => shell.run(block, db.url, variables, 'four random words\n')

test('every block of commands on the page runs', async () => {
  const blocks = shellBlocksOf(page)
  expect(blocks.length).toBeGreaterThan(3)

  for (const block of blocks) expect({ block, ...(await run(block)) }).toMatchObject({ block, code: 0 })
})

test('a block with a wrong option fails', async () => {
  expect((await run('voucher-service sites set 1 --nope')).code).not.toBe(0)
})
