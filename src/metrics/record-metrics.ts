import { Gauge, type Registry } from 'prom-client'
import type { Database } from '#db/database.ts'
import { prefix } from './process-metrics.ts'
import { type RecordFigures, readRecord } from './record.queries.ts'

/** Scrapes within this time share one reading, so that nobody can load the database with scrapes. */
const sharedForMs = 1_000

/** Gauges without labels. A figure that is null is left out. */
const figures = {
  unsettled_creation_oldest_seconds: {
    help: 'Age of the oldest creation whose outcome is not known yet; 0 if there is none.',
    read: (record: RecordFigures) => record.oldestCreationSeconds,
  },
  controller_outage_longest_seconds: {
    help: 'Duration of the longest current outage of a controller; 0 if all controllers can be reached.',
    read: (record: RecordFigures) => record.longestOutageSeconds,
  },
  sync_lag_seconds: {
    help: 'Age of the oldest sync of an active site. Sites whose controller cannot be reached are left out.',
    read: (record: RecordFigures) => record.syncLagSeconds,
  },
  sync_overdue_seconds: {
    help: 'How long the next sync of a site has been due; 0 if none is due.',
    read: (record: RecordFigures) => record.syncOverdueSeconds,
  },
  deliveries_pending: {
    help: 'Deliveries that have not arrived yet, including those that wait for a retry. At most 50000 are counted.',
    read: (record: RecordFigures) => record.pendingDeliveries,
  },
  delivery_overdue_seconds: {
    help: 'How long the next attempt of a delivery has been due; 0 if none is due.',
    read: (record: RecordFigures) => record.overdueDeliverySeconds,
  },
  messages_waiting: {
    help: 'E-mails to guests that the mail server has not accepted yet. At most 50000 are counted.',
    read: (record: RecordFigures) => record.waitingMessages,
  },
  mail_failing_seconds: {
    help: 'How long the mail server has accepted no message although it was tried; 0 if it works, or has failed for less than 5 minutes.',
    read: (record: RecordFigures) => record.mailFailingSeconds,
  },
  withdrawals_due: {
    help: 'Vouchers that should be withdrawn now, including those that wait for a retry. At most 50000 are counted.',
    read: (record: RecordFigures) => record.dueWithdrawals,
  },
  withdrawal_overdue_seconds: {
    help: 'How long the oldest open withdrawal has been due, even if its attempts failed; 0 if none is due.',
    read: (record: RecordFigures) => record.overdueWithdrawalSeconds,
  },
  batch_held_up_longest_seconds: {
    help: 'How long the batch that is held up longest has made no progress; 0 if none is held up.',
    read: (record: RecordFigures) => record.longestStalledSeconds,
  },
  held: {
    help: '1 while the service is held: it creates and withdraws no vouchers. Otherwise 0.',
    read: (record: RecordFigures) => record.held,
  },
  outdated: {
    help: '1 if a newer version of the service made a migration that breaks this process. Otherwise 0.',
    read: (record: RecordFigures) => record.outdated,
  },
  backup_age_seconds: {
    help: 'Time since `voucher-service backup` last succeeded. Missing if it has never run.',
    read: (record: RecordFigures) => record.backupAgeSeconds,
  },
  archive_failing_seconds: {
    help: 'How long PostgreSQL has archived no write-ahead log because that fails or archive_command is empty; 0 if the archive works, or if there is none.',
    read: (record: RecordFigures) => record.archiveFailingSeconds,
  },
  guests_not_forgotten_seconds: {
    help: 'Time since the worker last forgot all guests that were due, or since a change of these settings; 0 if guests are never forgotten.',
    read: (record: RecordFigures) => record.notForgottenSeconds,
  },
  unrecorded_vouchers: {
    help: 'Vouchers on controllers that this service seems to have created but that are not on record.',
    read: (record: RecordFigures) => record.unrecordedVouchers,
  },
}

/** Gauges with labels. States that no row has now are left out. */
const groups = {
  unsettled_creations: {
    help: 'Creations whose outcome is not known yet: open while a request waits for it, unknown afterwards.',
    labels: ['state'],
    read: ({ openCreations, unknownCreations }: RecordFigures) => [
      { state: 'open', value: openCreations },
      { state: 'unknown', value: unknownCreations },
    ],
  },
  batches_unfinished: {
    help: 'Batches with vouchers left to create: running, or held up by their controllers.',
    labels: ['state'],
    read: ({ unfinishedBatches, stalledBatches }: RecordFigures) => [
      { state: 'running', value: unfinishedBatches - stalledBatches },
      { state: 'held_up', value: stalledBatches },
    ],
  },
  webhooks: {
    help: 'Webhooks: working, failing, or disabled.',
    labels: ['state'],
    read: ({ webhooksWorking, webhooksFailing, webhooksDisabled }: RecordFigures) => [
      { state: 'working', value: webhooksWorking },
      { state: 'failing', value: webhooksFailing },
      { state: 'disabled', value: webhooksDisabled },
    ],
  },
  controllers: {
    help: 'Controllers by state, as the last calls found them.',
    labels: ['state'],
    read: ({ controllers }: RecordFigures) => controllers.map(({ state, count }) => ({ state, value: count })),
  },
  sites: {
    help: 'Sites by state, as the web app shows it.',
    labels: ['state'],
    read: ({ sites }: RecordFigures) => sites.map(({ state, count }) => ({ state, value: count })),
  },
  controller_outage_seconds: {
    help: 'Duration of the ten longest current outages, each with the id of its controller.',
    labels: ['controller'],
    read: ({ outages }: RecordFigures) => outages.map(({ controller, seconds }) => ({ controller, value: seconds })),
  },
  queue_jobs: {
    help: 'Jobs by queue: waiting (only those that are due, at most 50000), and active.',
    labels: ['queue', 'state'],
    read: ({ queues }: RecordFigures) =>
      queues.flatMap(({ queue, waiting, active }) => [
        { queue, state: 'waiting', value: waiting },
        { queue, state: 'active', value: active },
      ]),
  },
  queue_oldest_job_seconds: {
    help: 'How long the first waiting job of a queue has been due; 0 if none waits.',
    labels: ['queue'],
    read: ({ queues }: RecordFigures) => queues.map(({ queue, oldestSeconds }) => ({ queue, value: oldestSeconds })),
  },
}

/**
 * Metrics that are read from the database at a scrape. Every process reports them, not only the workers: when no worker runs, they
 * must still be seen. Returns the function that reads them. When that fails, they are left out and `record_readable` is 0.
 */
export function registerRecordMetrics(
  registry: Registry,
  db: Database,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const registers = [registry]
  const plain = Object.entries(figures).map(([name, { help, read }]) => {
    // With a label that is never set, the gauge has no value until it is read for the first time.
    const gauge = new Gauge({ name: prefix + name, help, labelNames: ['none'], registers })
    return {
      gauge,
      set(record: RecordFigures) {
        const value = read(record)
        if (value !== null) gauge.set(value)
      },
    }
  })
  const labelled = Object.entries(groups).map(([name, { help, labels, read }]) => {
    const gauge = new Gauge({ name: prefix + name, help, labelNames: labels, registers })
    return {
      gauge,
      set(record: RecordFigures) {
        for (const { value, ...labelValues } of read(record)) gauge.set(labelValues, value)
      },
    }
  })
  const gauges = [...plain, ...labelled]
  const readable = new Gauge({
    name: `${prefix}record_readable`,
    help: '1 if the database could be read for this scrape, otherwise 0.',
    registers,
  })
  let reading: Promise<void> | undefined
  let readAtMs = Number.NEGATIVE_INFINITY

  async function read(): Promise<void> {
    const record = await readRecord(db).catch(onError)
    for (const { gauge } of gauges) gauge.reset()
    if (record) for (const { set } of gauges) set(record)
    readable.set(record ? 1 : 0)
    readAtMs = performance.now()
  }

  return async () => {
    if (performance.now() - readAtMs < sharedForMs) return
    reading ??= read().finally(() => {
      reading = undefined
    })
    await reading
  }
}
