import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'
import { itemOf } from '#test/public-id.ts'
import { syncSite } from '../syncing/sync-site.ts'
import { runBatch } from './run-batch.ts'

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
    await runBatch(app.context, itemOf(id))
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
