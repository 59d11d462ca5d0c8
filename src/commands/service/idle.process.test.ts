import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedBatch, seedKey, seedSite, seedVoucher } from '#test/data/seed.ts'
import { isLong, report } from '#test/measuring.ts'
import { startService } from '#test/service.ts'

const mostMegabytes = 150

const db = await createTestDatabase()

async function startAsInImage() {
  const [options] = /(?<=NODE_OPTIONS=)\S+/.exec(await readFile('Dockerfile', 'utf8')) ?? []
  return startService(db.url, { NODE_OPTIONS: options as string }, 'start')
}

/** The resident memory in MB. */
async function memoryOf({ process }: Awaited<ReturnType<typeof startAsInImage>>): Promise<number> {
  const status = await readFile(`/proc/${process.pid}/status`, 'utf8')
  return (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024) / 1e6
}

test('an idle service as in the image needs at most 150 MB of memory', async () => {
  const begin = performance.now()
  const service = await startAsInImage()
  const readyAfterMs = performance.now() - begin
  await pause(5_000)

  const megabytes = await memoryOf(service)
  report('idle memory of `start` in MB, ms until it is ready', [Math.round(megabytes), Math.round(readyAfterMs)])
  expect(megabytes).toBeLessThan(mostMegabytes)
  if (isLong) expect(readyAfterMs).toBeLessThan(2_000) // in CI, other tests need the processors at the same time
})

test('after 500 slips were drawn, the idle service needs as little memory as before', async () => {
  const service = await startAsInImage()
  const { key } = await seedKey(db, { scope: 'read' })
  const site = await seedSite(db)
  const batch = await seedBatch(db, site)
  await db.query('delete from batch_rows where batch_id = $1', [batch])
  for (let number = 1; number <= 500; number++) {
    const voucher = await seedVoucher(db, site, { name: `2026-11-14_Gast ${number}` })
    await db.query(
      `insert into batch_rows (site_id, batch_id, number, controller_name, state, voucher_id)
       values ($1, $2, $3, '2026-11-14_Gast', 'made', $4)`,
      [site, batch, number, voucher],
    )
  }

  const answer = await fetch(`${service.url}/api/v2/batches/${site}-${batch}/slips.pdf`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(answer.status).toBe(200)
  const pdf = Buffer.from(await answer.arrayBuffer())
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  report('MB of `start` after 500 slips, bytes of the file', [Math.round(await memoryOf(service)), pdf.length])

  await vi.waitFor(async () => expect(await memoryOf(service)).toBeLessThan(mostMegabytes), { interval: 1_000 })
})
