import type { Database, Queryable } from '#db/database.ts'
import type { Calendar } from '#lib/clock.ts'
import { hasListener } from '#queue/jobs.queries.ts'
import { limitingActorId, type Requester } from '../actor.ts'
import { type MailServerContext, readMailServer } from '../mail-server/mail-server.ts'
import { findFailingMail } from '../messages/messages.queries.ts'
import {
  countSites,
  listFailingControllers,
  listFailingWebhooks,
  listSitesWithUnrecorded,
  listStalledBatches,
  listTroubledKeys,
  listWall,
} from './attention.queries.ts'
import { readControllerDays } from './controller-days.ts'
import {
  countEndingSoon,
  type IssuedBy,
  type IssuedDay,
  listBusiestSites,
  listIssuedDays,
  listMakers,
  type OverviewScope,
  type Period,
} from './issued.queries.ts'

/** The number of sites or creators that are named. The others are added up. */
const named = 7
/** The wall is left out if there are more sites, because a list is then easier to read. */
const maxOnWall = 1_000

export type OverviewRequest = { actor: Requester; siteId: number | null; days: number; now: Date }

type OverviewContext<Db> = { db: Db; today: Calendar; fixedSettings: MailServerContext['fixedSettings'] }

export type Overview = Awaited<ReturnType<typeof readOverview>>

/**
 * The figures of the last days and everything that needs attention, read from one snapshot. The only vouchers that are
 * read are those that end soon, from their index. So the total number of vouchers does not matter.
 */
export async function readOverview(ctx: OverviewContext<Database>, request: OverviewRequest) {
  return ctx.db.snapshot((tx) => readFigures({ ...ctx, db: tx }, request))
}

async function readFigures(ctx: OverviewContext<Queryable>, { actor, siteId, days, now }: OverviewRequest) {
  const { db, today } = ctx
  const scope = { onlySitesOf: limitingActorId(actor), siteId }
  const period = { today: today(now), days }
  const issued = await listIssuedDays(db, scope, period)
  const totals = { ...sumOf(issued), endingSoon: await countEndingSoon(db, scope) }
  return {
    ...period,
    timeZone: today.timeZone,
    issued,
    totals,
    attention: await readAttention(ctx, actor, scope, period.today),
    sites: siteId === null ? await readSites(db, scope, period, totals.issued) : null,
    site:
      siteId === null
        ? null
        : {
            makers: cutMakers(await listMakers(db, scope, period)),
            controller: await readControllerDays({ db, today }, siteId, scope.onlySitesOf),
          },
  }
}

function sumOf(days: IssuedDay[]): { issued: number; redeemed: number } {
  return {
    issued: days.reduce((sum, { issued }) => sum + issued, 0),
    redeemed: days.reduce((sum, { redeemed }) => sum + redeemed, 0),
  }
}

/** Only administrators manage the mail server and keys, so only they see problems with them. */
async function readAttention(ctx: OverviewContext<Queryable>, actor: Requester, scope: OverviewScope, today: string) {
  const { db } = ctx
  const isAdmin = actor.kind === 'staff' && actor.role === 'admin'
  return {
    workerRunning: await hasListener(db),
    controllers: await listFailingControllers(db, scope),
    mail: isAdmin ? await readFailingMail(ctx) : null,
    webhooks: await listFailingWebhooks(db, scope),
    keys: isAdmin ? await listTroubledKeys(db, scope.siteId, today) : [],
    batches: await listStalledBatches(db, scope),
    unrecorded: await listSitesWithUnrecorded(db, scope),
  }
}

/** Null unless the mail server fails. */
async function readFailingMail(ctx: OverviewContext<Queryable>) {
  const failing = await findFailingMail(ctx.db)
  return failing ? { ...failing, server: await readMailServer(ctx) } : null
}

async function readSites(db: Queryable, scope: OverviewScope, period: Period, total: number) {
  const count = await countSites(db, scope)
  const busiest = await listBusiestSites(db, scope, period, named)
  const shown = busiest.reduce((sum, { issued }) => sum + issued, 0)
  return {
    count,
    busiest,
    others: { count: count - busiest.length, issued: total - shown },
    wall: count > maxOnWall ? [] : await listWall(db, scope, maxOnWall),
  }
}

function cutMakers(makers: IssuedBy[]) {
  const others = makers.slice(named)
  return {
    named: makers.slice(0, named),
    others: { count: others.length, issued: others.reduce((sum, { issued }) => sum + issued, 0) },
  }
}
