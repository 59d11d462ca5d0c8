import type { Retention } from '#db/retention.queries.ts'
import { finishedBatches, rowsOfBatches } from '#domain/batches/batches.queries.ts'
import { endedOutages } from '#domain/controllers/controller-outages.queries.ts'
import { deliveredEvents, settledDeliveries } from '#domain/deliveries/events.queries.ts'
import { daysOfKeys } from '#domain/keys/key-usage.queries.ts'
import { settledMessages } from '#domain/messages/messages.queries.ts'
import { expiredChallenges } from '#domain/people/passkeys.queries.ts'
import { endedPendingSignIns } from '#domain/people/pending-sign-ins.queries.ts'
import { unfinishedApps } from '#domain/people/second-factors.queries.ts'
import { endedSessions, expiredLinks, knownAddresses } from '#domain/people/sessions.queries.ts'
import { settledCreations } from '#domain/record/creations.queries.ts'
import { daysOfIssuing } from '#domain/record/issuing-counters.queries.ts'
import { daysOfSites } from '#domain/record/site-days.queries.ts'
import { scheduledWithdrawals } from '#domain/record/withdrawals.queries.ts'
import { rememberedRequests } from '#domain/remembered-requests.queries.ts'
import { revokedWithdrawals, settledRevocations } from '#domain/revocations/revocations.queries.ts'
import { closedWindows } from '#limits/limiter.ts'

/** Undefined: rows are kept forever. */
export type RetentionSettings = {
  retainVouchersDays?: number | undefined
}

type RetentionRule = { name: string; everyMinutes: number; retention: Retention }

/**
 * The rules for deleting old rows of all tables except `vouchers` and `audit`. A sync deletes vouchers, because it has just read
 * which of them the controller still has (`domain/syncing/delete-ended-vouchers.ts`). The owner of the tables deletes old entries of
 * the audit (`deleteOldAudit`). Each deletion is logged under its `name`.
 * `docs/operating.md` says how long each kind of row is kept.
 */
export function listRetentionRules({ retainVouchersDays }: RetentionSettings): RetentionRule[] {
  return [
    { name: 'settled creations', everyMinutes: 1, retention: settledCreations },
    { name: 'old Idempotency-Keys', everyMinutes: 1, retention: rememberedRequests },
    { name: 'closed limiter windows', everyMinutes: 5, retention: closedWindows },
    { name: 'old withdrawals', everyMinutes: 60, retention: scheduledWithdrawals },
    { name: 'old deliveries', everyMinutes: 60, retention: settledDeliveries },
    { name: 'old events', everyMinutes: 60, retention: deliveredEvents },
    { name: 'ended sessions', everyMinutes: 60, retention: endedSessions },
    { name: 'expired password links', everyMinutes: 60, retention: expiredLinks },
    { name: 'sign-ins without a second step', everyMinutes: 60, retention: endedPendingSignIns },
    { name: 'expired passkey challenges', everyMinutes: 60, retention: expiredChallenges },
    { name: 'unfinished authenticator apps', everyMinutes: 60, retention: unfinishedApps },
    { name: 'addresses of people', everyMinutes: 60, retention: knownAddresses },
    { name: 'ended outages', everyMinutes: 60, retention: endedOutages },
    { name: 'days of sites', everyMinutes: 60, retention: daysOfSites },
    { name: 'days of limits', everyMinutes: 60, retention: daysOfIssuing },
    { name: 'old messages', everyMinutes: 60, retention: settledMessages },
    { name: 'days of keys', everyMinutes: 60, retention: daysOfKeys },
    ...forDays(retainVouchersDays, (keptFor) => [
      { name: 'rows of old batches', everyMinutes: 60, retention: rowsOfBatches(keptFor) },
      { name: 'old batches', everyMinutes: 60, retention: finishedBatches(keptFor) },
      { name: 'withdrawals of old revocations', everyMinutes: 60, retention: revokedWithdrawals(keptFor) },
      { name: 'old revocations', everyMinutes: 60, retention: settledRevocations(keptFor) },
    ]),
  ]
}

function forDays(days: number | undefined, listFor: (keptFor: string) => RetentionRule[]): RetentionRule[] {
  return days === undefined ? [] : listFor(`interval '${days} days'`)
}
