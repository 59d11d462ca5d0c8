import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { startWatchedService, type WatchedSite } from './watched-service.ts'

const watched = await startWatchedService(4)
const { db, url, sites } = watched
const [first, second, third, fourth] = sites as [WatchedSite, WatchedSite, WatchedSite, WatchedSite]
const manyTimes = { times: 1_000_000 }

/** The record has the state of a site only after a sync. */
async function untilState(site: WatchedSite, state: string | null): Promise<void> {
  await watched.syncNow(site)
  const find = async () =>
    (await db.query<{ failure: string | null }>('select sync_failure as failure from sites where id = $1', [site.id]))
      .rows[0]?.failure
  await expect.poll(find).toBe(state)
}

test('controllers that cannot be reached while clients create vouchers', async () => {
  const out = [second, third, fourth]
  const clients = out.map((site) => watched.keepDoing(1_000, () => watched.createVoucher(site)))
  await watched.try({
    fault: '3 of 4 controllers cut off',
    alerts: ['VoucherServiceControllerOut', 'VoucherServiceManyControllersOut'],
    async begin() {
      for (const { proxy } of out) proxy.cut()
    },
    async end() {
      for (const { proxy } of out) proxy.heal()
    },
  })
  await Promise.all(clients.map((client) => client.stop()))
})

test('a controller that rejects every creation', async () => {
  // The health checks of the proxy are 20 times as many as these requests.
  const clients = [first, first, second].map((site) => watched.keepDoing(6_000, () => watched.createVoucher(site)))
  await watched.try({
    fault: 'a controller answers creations with 400',
    alerts: ['VoucherServiceCreationsFail', 'VoucherServiceErrors'],
    begin: () => first.simulator.fault('refuse', manyTimes),
    end: () => first.simulator.forgetFaults(),
  })
  await Promise.all(clients.map((client) => client.stop()))
})

test('a webhook that fails, and meanwhile a sign-in, a site and a record that fail', async () => {
  const sink = await startWebhookSink()
  await runCommand(url, ['webhooks', 'add', '--name', 'Sink', '--format', 'generic', '--url-file', '-'], {
    stdin: sink.url,
  })
  const clients = watched.keepDoing(2_000, () => watched.createVoucher(fourth))
  await Promise.all([
    watched.try({
      fault: 'the receiver answers 500',
      alerts: ['VoucherServiceWebhookFails'],
      begin: async () => sink.answerWith(500),
      end: async () => sink.answerWith(204),
    }),
    watched.try({
      fault: 'the controller answers 401',
      alerts: ['VoucherServiceControllerRefuses'],
      async begin() {
        await first.simulator.fault('unauthorized', { ...manyTimes, on: 'any' })
        await untilState(first, 'sign_in')
      },
      async end() {
        await first.simulator.forgetFaults()
        await untilState(first, null)
      },
    }),
    watched.try({
      fault: 'the site does not exist on the controller',
      alerts: ['VoucherServiceSiteFails'],
      async begin() {
        await db.query(`update sites set controller_site = 'gone' where id = $1`, [second.id])
        await untilState(second, 'missing')
      },
      async end() {
        await db.query(`update sites set controller_site = 'default' where id = $1`, [second.id])
        await untilState(second, null)
      },
    }),
    watched.try({
      fault: 'a voucher is lost in the record',
      alerts: ['VoucherServiceUnrecordedVouchers'],
      async begin() {
        await watched.createVoucher(third)
        await db.query('delete from vouchers where site_id = $1', [third.id])
        await watched.syncNow(third)
      },
      end: () => runCommand(url, ['reconcile', '--adopt', '--yes']),
    }),
  ])
  await clients.stop()
})
