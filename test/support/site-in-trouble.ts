import { expect } from 'vitest'
import { takeDueProbes } from '#domain/outages/probes.queries.ts'
import { probeOutage } from '#domain/outages/track-outages.ts'
import { withdrawDue } from '#domain/revocations/withdraw-due.ts'
import { syncSite } from '#domain/syncing/sync-site.ts'
import type { TestApp } from './app.ts'
import { seedControlledSite, seedKey, seedWebhook } from './data/seed.ts'
import { type dialects, type Simulator, startSimulator } from './network/simulator.ts'
import { settleCreations } from './settle-creations.ts'

type Listed = { voucher_code: string; voucher_name: string; status: string }

/** `behind` starts a proxy in front of the controller; `behaviour` is set on the simulator at the start. */
type Kind = (typeof dialects)[0] & {
  tagged?: boolean
  behind?: (url: string) => Promise<{ url: string }>
  behaviour?: object
}

export type SiteInTrouble = Awaited<ReturnType<Awaited<ReturnType<typeof prepareSites>>>>

/** Returns a function that makes a site on its own controller. Only the test settles, syncs and withdraws there. */
export async function prepareSites(app: TestApp, startController = startSimulator) {
  const { key } = await seedKey(app.db, { scope: 'write' })
  await seedWebhook(app.db)
  return async ({ flavour, ...kind }: Kind) => start(app, key, await startController('--flavour', flavour), kind)
}

async function start(
  app: TestApp,
  key: string,
  simulator: Simulator,
  { driver, tagged = false, behind, behaviour = {} }: Omit<Kind, 'flavour'>,
) {
  await simulator.behave(behaviour)
  const proxy = await behind?.(simulator.url)
  const siteId = await seedControlledSite(app.db, { ...simulator, ...proxy }, { driver })
  if (tagged) await app.db.query('update sites set tags_names = true where id = $1', [siteId])
  const create = async (idempotencyKey: string, name = 'Gast') => {
    const headers = { 'idempotency-key': `${siteId}-${idempotencyKey}` }
    const body = JSON.stringify({ site_id: siteId, name, max_uses: 1, expire_minutes: 60 })
    return app.call('/api/vouchers.php', { method: 'POST', key, headers, body })
  }
  expect((await create('first', 'First')).status).toBe(201)
  return {
    simulator,
    siteId,
    create,
    settle: () => settleCreations(app.context),
    sync: () => syncSite(app.context, siteId),
    withdraw: () => withdrawDue(app.context, siteId),
    /** Probes controllers that are out of reach, as the worker does every few seconds. */
    async probe() {
      await app.db.query(`update controller_outages set next_probe_at = now() - interval '1 second'`)
      for (const site of await takeDueProbes(app.db, 100)) await probeOutage(app.context, site)
    },
    hasOutage: async () =>
      (
        await app.db.query(
          `select from controller_outages join sites using (controller_id) where sites.id = $1 and until is null`,
          [siteId],
        )
      ).rowCount === 1,
    /**
     * Makes the requests look as if they had been sent earlier. The lease ends a second ago: the column rounds to milliseconds, so
     * `now()` might be a moment ahead of the next statement.
     */
    age: (seconds: number) =>
      app.db.query(
        `update creations set lease_until = now() - interval '1 second', sent_at = sent_at - make_interval(secs => $2)
          where site_id = $1 and settled_at is null`,
        [siteId, seconds],
      ),
    states: async () =>
      (
        await app.db.query<{ state: string }>('select state from creations where site_id = $1 order by id', [siteId])
      ).rows
        .map(({ state }) => state)
        .slice(1),
    valid: async () =>
      (await app.call(`/api/vouchers.php?site_id=${siteId}`, { key }))
        .json()
        .vouchers.filter((voucher: Listed) => !voucher.voucher_name.includes('First') && voucher.status === 'valid')
        .map((voucher: Listed) => voucher.voucher_code),
    codes: async () =>
      (await app.call(`/api/vouchers.php?site_id=${siteId}`, { key }))
        .json()
        .vouchers.filter((voucher: Listed) => !voucher.voucher_name.includes('First'))
        .map((voucher: Listed) => voucher.voucher_code),
    onController: async () =>
      (await simulator.vouchers())
        .filter(({ name, deleted }) => !deleted && !name.includes('First'))
        .map(({ code }) => code),
    events: async () => (await app.db.query('select 1 from events where site_id = $1', [siteId])).rows.length - 1,
  }
}

/** Makes a creation that is given up although its voucher will turn up later. */
export async function giveUp(one: SiteInTrouble) {
  await one.simulator.fault('created-then-reset')
  await one.create('k')
  await one.simulator.fault('empty', { on: 'list', times: 9 }) // hides the voucher from every reader until then
  await one.age(121)
  await one.settle()
  await one.simulator.forgetFaults()
  expect(await one.states()).toEqual(['absent'])
  await one.simulator.clock({ advanceSeconds: 5 }) // later vouchers get another second
}
