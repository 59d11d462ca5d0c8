import pg from 'pg'
import { expect, test } from 'vitest'
import { setMailSender } from '#domain/mail-server/mail-senders.ts'
import { setMailServer } from '#domain/mail-server/mail-server.ts'
import { runCommand } from '#test/command.ts'
import { testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { startMailServer } from '#test/network/mail-server.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startWatchedService, type WatchedSite } from './watched-service.ts'

const watched = await startWatchedService(1)
const { worker, url } = watched
const [site] = watched.sites as [WatchedSite]

test('a worker that was killed while work waits; another job has a worker', async () => {
  const sink = await startWebhookSink()
  await runCommand(url, ['webhooks', 'add', '--name', 'Sink', '--format', 'generic', '--url-file', '-'], {
    stdin: sink.url,
  })
  await watched.try({
    fault: 'SIGKILL to the only worker',
    alerts: [
      'VoucherServiceNoWorker',
      'VoucherServiceQueueStuck',
      'VoucherServiceSyncLate',
      'VoucherServiceWithdrawalsLate',
      'VoucherServiceDeliveriesLate',
      'VoucherServiceCreationsUnsettled',
    ],
    async begin() {
      await worker.service().stop('SIGKILL')
      expect(await watched.createVoucher(site, { reference: 'R-1' })).toBe(201)
      expect(await watched.revoke('R-1')).toBe(202)
      await site.simulator.fault('created-then-reset')
      expect(await watched.createVoucher(site, { name: 'Unknown' })).toBeGreaterThan(201)
      await watched.syncNow(site)
    },
    end: () => worker.start(),
  })
})

test('a mail server that answers 421 for longer than five minutes', async () => {
  const context = { db: watched.db, keyring: testKeyring, fixedSettings: {} }
  const mail = await startMailServer({ security: 'none' })
  await setMailServer(context, testActor, { host: '127.0.0.1', port: mail.port, security: 'none' })
  await setMailSender(context, testActor, null, { name: 'Adler', address: 'wlan@adler.example', replyTo: null })
  await watched.try({
    fault: 'the mail server answers 421, and five minutes pass',
    alerts: ['VoucherServiceMailFails'],
    async begin() {
      mail.faults.greeting = { code: 421, text: 'Not now' }
      expect(await watched.createVoucher(site, { message: { email: 'gast@example.org' } })).toBe(201)
      const pass = `update messages set failing_since = failing_since - interval '5 minutes' where failing_since is not null`
      await expect.poll(async () => (await watched.db.query(pass)).rowCount).toBe(1)
    },
    async end() {
      delete mail.faults.greeting
    },
  })
})

// A lock on a table that the metrics read would make the scrapes fail: with an interval of 1 s, they cannot wait for 3 s.
test('a transaction that holds a lock while clients read and create', async () => {
  const holder = new pg.Client({ connectionString: url })
  onFileEnd(() => holder.end())
  await holder.connect()
  const readers = Array.from({ length: 4 }, () => watched.keepDoing(200, watched.list))
  const creators = Array.from({ length: 12 }, () => watched.keepDoing(200, () => watched.createVoucher(site)))
  await watched.try({
    fault: 'a transaction locks `vouchers`',
    alerts: ['VoucherServiceSlow', 'VoucherServicePoolExhausted'],
    begin: () => holder.query('begin; lock table vouchers in access exclusive mode'),
    end: () => holder.query('rollback'),
  })
  await Promise.all([...readers, ...creators].map((client) => client.stop()))
})
