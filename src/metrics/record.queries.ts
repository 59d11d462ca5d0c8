import { archiveFailingSinceSql } from '#db/archiving.queries.ts'
import { findBreaking } from '#db/breaking-migrations.queries.ts'
import type { Queryable } from '#db/database.ts'
import { countControllerStates } from '#domain/controllers/controller-states.queries.ts'
import { findFailingMail } from '#domain/messages/messages.queries.ts'
import { isDueWithdrawalSql } from '#domain/record/due-withdrawals.queries.ts'
import { notForgottenSinceSql } from '#domain/settings/settings.queries.ts'
import { siteStateSql, withOutageSql } from '#domain/sites/site-states.queries.ts'
import { listQueueDepths } from '#queue/jobs.queries.ts'

/** At most this many controllers get a label with their id: labels for a thousand would make a thousand time series. */
const worstNamed = 10

/** Counting stops at this many pending rows. */
const maxCounted = 50_000

type Counted = { state: string; count: number }

export type RecordFigures = Awaited<ReturnType<typeof readRecord>>

/** Figures from the database, which no process can count alone. Each is a read of an index or of a small table. */
export async function readRecord(db: Queryable) {
  return {
    ...(await readFigures(db)),
    outdated: (await findBreaking(db)) ? 1 : 0,
    mailFailingSeconds: (await findFailingMail(db))?.seconds ?? 0,
    queues: await listQueueDepths(db),
    controllers: await countControllerStates(db),
    sites: await countSiteStates(db),
    outages: await listLongestOutages(db),
  }
}

type Figures = {
  openCreations: number
  unknownCreations: number
  oldestCreationSeconds: number
  longestOutageSeconds: number
  syncLagSeconds: number
  syncOverdueSeconds: number
  pendingDeliveries: number
  overdueDeliverySeconds: number
  waitingMessages: number
  dueWithdrawals: number
  overdueWithdrawalSeconds: number
  unfinishedBatches: number
  stalledBatches: number
  longestStalledSeconds: number
  unrecordedVouchers: number
  held: number
  /** Null if `voucher-service backup` has never run. */
  backupAgeSeconds: number | null
  /** 0 while the archive works, and if none is set up. */
  archiveFailingSeconds: number
  /** 0 if guests are never forgotten. */
  notForgottenSeconds: number
  webhooksWorking: number
  webhooksFailing: number
  webhooksDisabled: number
}

/** SQL for the seconds since a time; 0 when there is none. */
const secondsSinceSql = (time: string) => `greatest(coalesce(extract(epoch from now() - ${time}), 0), 0)::float`

/** Sites whose controller is out of reach do not count for the sync: the outage is reported instead. */
const reachableSitesSql = `sites s ${withOutageSql} where s.active and o.since is null`

async function readFigures(db: Queryable): Promise<Figures> {
  const { rows } = await db.query<Figures>(
    `select creations.*, syncs.*, deliveries.*, withdrawals.*, batches.*, webhooks.*,
            (select ${secondsSinceSql('min(since)')} from controller_outages where until is null) as "longestOutageSeconds",
            (select count(*)::integer from (select from messages where state = 'waiting' limit ${maxCounted}) as counted)
              as "waitingMessages",
            (select coalesce(sum(unrecorded), 0)::integer from sites where active) as "unrecordedVouchers",
            (select count(*)::integer from hold) as held,
            (select ${secondsSinceSql('taken_at')} from last_backup) as "backupAgeSeconds",
            ${secondsSinceSql(archiveFailingSinceSql)} as "archiveFailingSeconds",
            ${secondsSinceSql(notForgottenSinceSql)} as "notForgottenSeconds"
       from (select count(*) filter (where state = 'open')::integer as "openCreations",
                    count(*) filter (where state = 'unknown')::integer as "unknownCreations",
                    ${secondsSinceSql('min(sent_at)')} as "oldestCreationSeconds"
               from (select state, sent_at from creations where settled_at is null limit ${maxCounted}) as counted) as creations,
            (select ${secondsSinceSql('min(coalesce(s.synced_at, s.created_at))')} as "syncLagSeconds",
                    ${secondsSinceSql('min(s.next_sync_at)')} as "syncOverdueSeconds" from ${reachableSitesSql}) as syncs,
            (select count(*)::integer as "pendingDeliveries", ${secondsSinceSql('min(next_attempt_at)')} as "overdueDeliverySeconds"
               from (select next_attempt_at from deliveries where state = 'pending'
                      order by next_attempt_at limit ${maxCounted}) as counted) as deliveries,
            (select count(*)::integer as "dueWithdrawals", ${secondsSinceSql('min(due_at)')} as "overdueWithdrawalSeconds"
               from (select due_at from withdrawals where ${isDueWithdrawalSql}
                      order by next_attempt_at limit ${maxCounted}) as counted) as withdrawals,
            (select count(*)::integer as "unfinishedBatches", count(held_up_since)::integer as "stalledBatches",
                    ${secondsSinceSql('min(held_up_since)')} as "longestStalledSeconds"
               from batches where finished_at is null) as batches,
            (select count(*) filter (where disabled_at is null and failing_since is null)::integer as "webhooksWorking",
                    count(*) filter (where disabled_at is null and failing_since is not null)::integer as "webhooksFailing",
                    count(disabled_at)::integer as "webhooksDisabled"
               from webhooks where removed_at is null) as webhooks`,
  )
  return rows[0] as Figures
}

async function countSiteStates(db: Queryable): Promise<Counted[]> {
  const { rows } = await db.query<Counted>(
    `select ${siteStateSql} as state, count(*)::integer as count from sites s ${withOutageSql} group by 1`,
  )
  return rows
}

/** The controllers that have been out of reach for longest. */
async function listLongestOutages(db: Queryable): Promise<{ controller: string; seconds: number }[]> {
  const { rows } = await db.query<{ controller: string; seconds: number }>(
    `select controller_id as controller, ${secondsSinceSql('since')} as seconds
       from controller_outages where until is null order by since limit ${worstNamed}`,
  )
  return rows
}
