import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { connectDatabase } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedSite, seedWebhook, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { range } from '#test/load.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { addWebhook } from './administer-webhooks.ts'
import { changeWebhook } from './change-webhook.ts'

const db = await createTestDatabase()
const pools = range(2).map(() => connectDatabase({ url: db.url, poolSize: 10, onError: () => {} }))
onFileEnd(async () => void (await Promise.all(pools.map((pool) => pool.close()))))

const codes = (results: PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))

/** Adds the webhooks of a time without a limit. */
async function seedBeyondLimit(siteId: number, count: number): Promise<void> {
  for (const _ of range(count)) {
    const id = await seedWebhook(db, { siteIds: [await seedSite(db)] })
    await db.query('update webhook_sites set site_id = $2 where webhook_id = $1', [id, siteId])
  }
}

test.each(['a site', 'all sites'])('30 parallel additions for %s on two pools: exactly 20 succeed', async (scope) => {
  const siteIds = scope === 'a site' ? [await seedSite(db)] : undefined
  const results = await Promise.allSettled(
    range(30).map((i) =>
      addWebhook({ db: pools[i % 2] as (typeof pools)[0], keyring: testKeyring }, testActor, {
        name: uuidv7(),
        format: 'generic',
        url: 'http://127.0.0.1:9/hook',
        siteIds,
      }),
    ),
  )

  const code = siteIds ? 'webhooks_of_site_too_many' : 'webhooks_of_all_sites_too_many'
  expect(codes(results)).toEqual(range(10).map(() => code))
  const { rows } = await db.query<{ count: number }>(
    siteIds
      ? `select count(*)::integer from webhook_sites where site_id = ${siteIds[0]}`
      : 'select count(*)::integer from webhooks where all_sites',
  )
  expect(rows).toEqual([{ count: 20 }])
})

test('a webhook cannot be moved to a full site or to all sites, and nothing of the change is kept', async () => {
  const [full, other] = [await seedSite(db), await seedSite(db)]
  for (const _ of range(20)) await seedWebhook(db, { siteIds: [full] })
  const id = await seedWebhook(db, { siteIds: [other] })
  const change = (siteIds: number[] | null) =>
    changeWebhook({ db, keyring: testKeyring }, testActor, { id }, { siteIds })

  await expect(change([other, full])).rejects.toMatchObject({
    code: 'webhooks_of_site_too_many',
    details: { max: 20, site: full },
  })
  await expect(change(null)).rejects.toMatchObject({ code: 'webhooks_of_all_sites_too_many' })
  const { rows } = await db.query('select site_id from webhook_sites where webhook_id = $1', [id])
  expect(rows).toEqual([{ site_id: other }])
})

test('a site with more webhooks keeps them: they can be changed and removed, but none can be added', async () => {
  const [site, other] = [await seedSite(db), await seedSite(db)]
  await seedBeyondLimit(site, 23)
  const { rows } = await db.query<{ id: string }>('select webhook_id as id from webhook_sites where site_id = $1', [
    site,
  ])
  const id = rows[0]?.id as string
  const changed = await changeWebhook({ db, keyring: testKeyring }, testActor, { id }, { siteIds: [site, other] })

  expect(changed.siteIds).toEqual([site, other])
  await expect(seedWebhook(db, { siteIds: [site] })).rejects.toMatchObject({ code: 'webhooks_of_site_too_many' })
  await seedWebhook(db, { siteIds: [other] })
})
