import type { Queryable } from '#db/database.ts'
import { findHold } from '#domain/hold.queries.ts'
import { findFailingMail } from '#domain/messages/messages.queries.ts'
import { listFailingWebhooks } from '#domain/overview/attention.queries.ts'
import { shellWord } from '#lib/shell-word.ts'
import { hasListener, listQueueDepths } from '#queue/jobs.queries.ts'
import { findWorkFacts, listFailingSites } from './doctor.queries.ts'
import { type Finding, findingsOf } from './finding.ts'

/** If a job has been due for longer than this, no worker is taking jobs. */
const lateSeconds = 60

/** Whether somebody can sign in, whether a worker runs, and what waits for an operator. */
export async function checkWork(db: Queryable): Promise<Finding[]> {
  const facts = await findWorkFacts(db)
  const { hasAdministrator, unrecorded, stuckBatches, oldBackup, archiveFailingSince, notForgottenSince } = facts
  const late = (await listQueueDepths(db)).filter(({ oldestSeconds }) => oldestSeconds > lateSeconds)
  const worker = findingsOf('worker')
  const findings: Finding[] = []
  if (late.length > 0)
    findings.push(
      worker.problem(
        `Jobs of ${late.map(({ queue }) => queue).join(', ')} have been waiting for more than ${lateSeconds} s.`,
        'Start a worker with `voucher-service worker` or `voucher-service start`; if one runs, look in its log.',
      ),
    )
  else if (await hasListener(db)) findings.push(worker.ok('A worker is running.'))
  else
    findings.push(
      worker.warning(
        'No worker is running.',
        'Start one with `voucher-service worker`, or `voucher-service start` for everything in one process.',
      ),
    )
  if (await findHold(db))
    findings.push(
      worker.warning(
        'The service is held: it creates and withdraws no vouchers.',
        'End the hold with `voucher-service resume`. After a restored backup, run `voucher-service reconcile` first.',
      ),
    )
  if (stuckBatches > 0)
    findings.push(
      findingsOf('batches').warning(
        `Batches that have made no progress for more than an hour: ${stuckBatches}.`,
        'Repair their controllers: a batch waits until its controller says which vouchers exist. If all controllers answer, look in the log of the worker.',
      ),
    )
  if (unrecorded > 0)
    findings.push(
      findingsOf('record').warning(
        `Vouchers on controllers that seem to be from this service but are not on record: ${unrecorded}.`,
        'List them with `voucher-service reconcile`.',
      ),
    )
  if (oldBackup)
    findings.push(
      findingsOf('backup').warning(
        `The last backup was taken at ${oldBackup.toISOString()}.`,
        'Run `voucher-service backup <file>`, and find out why the daily backup failed.',
      ),
    )
  if (archiveFailingSince)
    findings.push(
      findingsOf('archive').warning(
        `PostgreSQL has not archived its write-ahead log since ${archiveFailingSince.toISOString()}, so its disk fills up.`,
        facts.isArchiveMissing
          ? 'archive_mode is on, but archive_command is empty. Set archive_command (docs/backups.md), or turn archive_mode off and restart PostgreSQL.'
          : 'Look in the log of PostgreSQL for `archive command failed`, and repair the repository of the backups (docs/backups.md).',
      ),
    )
  if (notForgottenSince)
    findings.push(
      findingsOf('guests').warning(
        `Guests that were due have not all been forgotten since ${notForgottenSince.toISOString()}.`,
        'Start a worker if none runs, and end a hold with `voucher-service resume`. Otherwise look in the log of the worker for the lane `forgetting`.',
      ),
    )
  if (!hasAdministrator)
    findings.push(
      findingsOf('people').warning(
        'There is no administrator yet, so nobody can manage the service in the web app.',
        'Create one on the page /first-run, or with `voucher-service staff add --role admin`.',
      ),
    )
  return findings
}

/** A mail server that has accepted nothing for minutes, with the reason of the last attempt. */
export async function checkMail(db: Queryable): Promise<Finding[]> {
  const failing = await findFailingMail(db)
  if (!failing) return []
  const { since, failure, waiting } = failing
  return [
    findingsOf('mail').warning(
      `The mail server has not accepted messages since ${since.toISOString()} (${failure}). Messages that wait: ${waiting}.`,
      'Test the mail server on the page Settings → E-mail of the web app: the test says what to do (docs/e-mail.md).',
    ),
  ]
}

const sitesNamed = 10

/** Sites that fail although their controllers answer, e.g. because their id on the controller is wrong. */
export async function checkSites(db: Queryable): Promise<Finding[]> {
  const { warning } = findingsOf('sites')
  const failing = await listFailingSites(db)
  const named = failing
    .slice(0, sitesNamed)
    .map(({ id, name, failingSince }) =>
      warning(
        `Site ${id} ("${name}") has not been read on its controller since ${failingSince.toISOString()}.`,
        `\`voucher-service sites test ${id}\` shows what to do.`,
      ),
    )
  if (failing.length <= sitesNamed) return named
  const rest = failing.length - sitesNamed
  return [...named, warning(`${rest} more sites fail.`, '`voucher-service sites test --all` lists them.')]
}

export async function checkWebhooks(db: Queryable): Promise<Finding[]> {
  const { ok, warning } = findingsOf('webhooks')
  const failing = await listFailingWebhooks(db, { onlySitesOf: null, siteId: null })
  if (failing.length === 0) return [ok('No webhook fails or is disabled.')]
  return failing.map(({ name, disabledAt, failingSince }) =>
    disabledAt
      ? warning(
          `The webhook "${name}" has been disabled since ${disabledAt.toISOString()}.`,
          `Repair its receiver, then run \`voucher-service webhooks enable ${shellWord(name)}\`.`,
        )
      : warning(
          `Deliveries to the webhook "${name}" have failed since ${failingSince?.toISOString()}.`,
          `\`voucher-service webhooks test ${shellWord(name)}\` shows the answer of its receiver.`,
        ),
  )
}
