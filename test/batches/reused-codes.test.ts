import { expect, test } from 'vitest'
import { runBatch } from '#domain/creating/run-batch.ts'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { readPublicId } from '#http/v2/kit/fields.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })

test.each(dialects)(
  '$dialect: when a controller reuses a code, the new voucher is recorded too',
  async ({ driver, flavour }) => {
    const simulator = await startSimulator('--flavour', flavour)
    const siteId = await seedControlledSite(app.db, simulator, { driver })
    const post = async (path: string, body: object) =>
      (await app.call(path, { method: 'POST', key, body: JSON.stringify({ site_id: siteId, ...body }) })).json()
    const { code } = await post('/api/vouchers.php', { name: 'Gone' })
    await simulator.deleteVoucher(code)
    await syncSite(app.context, siteId)
    await simulator.giveCodes([code])
    const { id } = await post('/api/v2/batches', { name: 'Event', count: 5, expire_minutes: 60 })
    await runBatch(app.context, readPublicId(id) as { siteId: number; id: string })
    await syncSite(app.context, siteId)
    const onController = (await simulator.vouchers()).filter(({ deleted }) => !deleted).map((voucher) => voucher.code)
    const { rows } = await app.db.query<{ code: string }>(
      `select code from vouchers where site_id = $1 and status = 'valid'`,
      [siteId],
    )

    expect(onController).toHaveLength(5)
    expect(onController).toContain(code)
    expect(rows.map((row) => row.code).toSorted()).toEqual(onController.toSorted())
  },
)
