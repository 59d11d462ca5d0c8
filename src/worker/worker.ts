import { describeBreaking, findBreaking } from '#db/breaking-migrations.queries.ts'
import { type DueBatch, findDueBatch, listDueBatches } from '#domain/batches/batches.queries.ts'
import { runBatchAlone } from '#domain/creating/run-batch.ts'
import { type SettleContext, takeUnsettled } from '#domain/creating/settle-creations.ts'
import { type DeliverContext, deliver } from '#domain/deliveries/deliver.ts'
import type { DeliveryJob } from '#domain/deliveries/enqueue-deliveries.ts'
import { continueErasures } from '#domain/guests/erase-guests.ts'
import { type ForgetContext, forgetGuests, isRunDue } from '#domain/guests/forget-guests.ts'
import { type SendMessagesContext, takeMessages } from '#domain/mailing/send-messages.ts'
import { takeDueProbes } from '#domain/outages/probes.queries.ts'
import { probeOutage } from '#domain/outages/track-outages.ts'
import { type SettleForgottenContext, settleForgottenPasswords } from '#domain/people/forgotten-password.ts'
import { listSitesWithDueWithdrawals } from '#domain/record/due-withdrawals.queries.ts'
import { type WithdrawalKind, withdrawalKinds } from '#domain/record/withdrawals.queries.ts'
import type { WithdrawJob } from '#domain/revocations/enqueue-withdrawals.ts'
import { type WithdrawContext, withdrawDue } from '#domain/revocations/withdraw-due.ts'
import { type SyncContext, syncSite } from '#domain/syncing/sync-site.ts'
import { createIdleProbing } from './idle-probing.ts'
import { createLane, type Lane } from './lane.ts'
import type { RetentionSettings } from './retention-rules.ts'
import { startSchedules, syncs } from './schedules.ts'

/**
 * The group of an attempt is its webhook, and the wider group is the host of the webhook. An attempt to a host that hangs takes
 * 15 s. After that, the deliveries of the webhook go to `attempt_slow`. In each queue, a host leaves most places to others.
 */
const attempts = { atOnce: 20, perGroupHere: 4, perWiderGroupHere: 6 }
const slowAttempts = { atOnce: 20, perGroupHere: 1, perWiderGroupHere: 2 }
/** Jobs that only start due work earlier than the next sweep would. */
const hints = { atOnce: 2 }

/** The limits of the lanes. A controller that hangs occupies places of its lane until its outage is noticed. */
const settlingAtOnce = 200
const withdrawingAtOnce: Record<WithdrawalKind, number> = { end: 200, small: 100, conditional: 50, bulk: 50 }
const batchesAtOnce = 100
/** After this time the batches of another controller get the place. The next sweep continues. */
const maxBatchesMs = 120_000
/** A probe of a controller that hangs takes 3 s. So up to 30 controllers that hang are probed every 5 s, and more less often. */
const probesAtOnce = 24
/** A mail server that hangs occupies all of them. Nothing else waits for it. */
const messagesAtOnce = 8
/** Messages of one person or key to a mail server or recipient that hangs leave places to all others. */
const mostOfOneMaker = 6

type WorkerContext = SyncContext &
  SettleContext &
  DeliverContext &
  WithdrawContext &
  ForgetContext &
  SendMessagesContext &
  SettleForgottenContext & { config: RetentionSettings }

/**
 * Starts the background work: jobs of the queue, and sweeps for due work. Any number of workers may run. A worker stops by itself
 * when a newer version applies a migration that breaks it.
 */
export async function startWorker(ctx: WorkerContext): Promise<{ stop(): Promise<void> }> {
  const lanes = {
    settling: createLane('settling', settlingAtOnce, ctx.log),
    batching: createLane('batches', batchesAtOnce, ctx.log),
    probing: createLane('probing', probesAtOnce, ctx.log),
    forgetting: createLane('forgetting', 1, ctx.log),
    erasing: createLane('erasing', 1, ctx.log),
    mailing: createLane('messages', messagesAtOnce, ctx.log),
  }
  const withdrawing = withdrawalKinds.map((kind) => startableWithdrawals(ctx, kind))
  const idleProbing = createIdleProbing(ctx)

  await ctx.queue.work<DeliveryJob>('attempt', attempts, (job) => deliver(ctx, job))
  await ctx.queue.work<DeliveryJob>('attempt_slow', slowAttempts, (job) => deliver(ctx, job, { inSlowLane: true }))
  await ctx.queue.work<{ siteId: number }>('sync', syncs, ({ siteId }) => syncSite(ctx, siteId))
  await ctx.queue.work<DueBatch>('batch', hints, async ({ controllerId }) => {
    const due = await findDueBatch(ctx.db, controllerId)
    if (due) startBatch(lanes.batching, ctx, due)
  })
  await ctx.queue.work<WithdrawJob>('withdraw', hints, async ({ siteId, kind }) => {
    for (const each of withdrawing) if (each.kind === (kind ?? each.kind)) each.start(siteId)
  })

  const schedules = startSchedules(ctx, [
    { name: 'unsettled creations', everyMs: 2_000, run: () => startSettling(lanes.settling, ctx) },
    { name: 'batches with work left', everyMs: 2_000, run: () => startBatches(lanes.batching, ctx) },
    ...withdrawing.map((each) => ({
      name: `vouchers to withdraw: ${each.kind}`,
      everyMs: 2_000,
      run: () => startWithdrawals(ctx, each),
    })),
    { name: 'unreachable controllers', everyMs: 1_000, run: () => startProbes(lanes.probing, ctx) },
    { name: 'controllers without contact', everyMs: 200, run: () => idleProbing.sweep() },
    { name: 'guests to forget', everyMs: 5_000, run: () => startForgetting(lanes.forgetting, ctx) },
    // Without a count: anybody could fill the log with such requests.
    { name: 'forgotten passwords', everyMs: 1_000, run: async () => void (await settleForgottenPasswords(ctx)) },
    { name: 'messages to send', everyMs: 1_000, run: () => startMessages(lanes.mailing, ctx) },
    { name: 'erasures to complete', everyMs: 30_000, run: () => startErasing(lanes.erasing, ctx) },
    { name: 'migrations that break this version', everyMs: 5_000, run: stopIfOutdated },
  ])

  let stopped: Promise<void> | undefined
  function stop(): Promise<void> {
    stopped ??= stopAll()
    return stopped
  }

  async function stopAll(): Promise<void> {
    await Promise.all([schedules.stop(), ctx.queue.stopWork()])
    const all = [...Object.values(lanes), ...withdrawing.map(({ lane }) => lane), idleProbing.lane]
    await Promise.all(all.map((lane) => lane.stop()))
  }

  /** The process itself does not exit: a supervisor would start it again and again. */
  async function stopIfOutdated(): Promise<void> {
    const breaking = await findBreaking(ctx.db)
    if (breaking === undefined || stopped !== undefined) return
    const { problem, fix } = describeBreaking(breaking)
    ctx.log.error({ migration: breaking.name }, `the worker stops its work: ${problem} ${fix}`)
    void stop() // waits for this sweep too
  }

  return { stop }
}

type Withdrawing = { kind: WithdrawalKind; lane: Lane; start(siteId: number): boolean }

/** Each kind has its own lane, so that a large revocation on many sites leaves places for the ends of stays. */
function startableWithdrawals(ctx: WorkerContext, kind: WithdrawalKind): Withdrawing {
  const lane = createLane(`withdrawing: ${kind}`, withdrawingAtOnce[kind], ctx.log)
  const start = (siteId: number) => lane.start(String(siteId), (stopping) => withdrawDue(ctx, siteId, [kind], stopping))
  return { kind, lane, start }
}

/** Starts the sites with due withdrawals of a kind until no place is free. Returns how many were started. */
async function startWithdrawals(ctx: WorkerContext, { kind, lane, start }: Withdrawing): Promise<number> {
  let started = 0
  let part = await listSitesWithDueWithdrawals(ctx.db, kind)
  for (;;) {
    started += part.siteIds.filter(start).length
    if (!part.next || lane.free() === 0) return started
    part = await listSitesWithDueWithdrawals(ctx.db, kind, part.next)
  }
}

/** Starts due batches until no place is free, at most one per controller. Returns how many were started. */
async function startBatches(lane: Lane, ctx: WorkerContext): Promise<number> {
  let started = 0
  let part = await listDueBatches(ctx.db)
  for (;;) {
    started += part.batches.filter((batch) => startBatch(lane, ctx, batch)).length
    if (!part.next || lane.free() === 0) return started
    part = await listDueBatches(ctx.db, part.next)
  }
}

function startBatch(lane: Lane, ctx: WorkerContext, batch: DueBatch): boolean {
  return lane.start(batch.controllerId, (stopping) => runBatches(ctx, batch, stopping))
}

/**
 * Gives the batches of a controller their turns, one after the other. A batch without more to do for now has no further turn, because
 * it may still be due.
 */
async function runBatches(ctx: WorkerContext, first: DueBatch, stopping: AbortSignal): Promise<void> {
  const endsAt = performance.now() + maxBatchesMs
  const done = new Set<string>()
  const hasTime = () => !stopping.aborted && performance.now() < endsAt
  for (let next: DueBatch | undefined = first; next && !done.has(next.id) && hasTime(); ) {
    if (!(await runBatchAlone(ctx, next, stopping))) done.add(next.id)
    next = await findDueBatch(ctx.db, first.controllerId)
  }
}

/** Starts to settle unsettled creations. Each creation logs its own end. */
async function startSettling(lane: Lane, ctx: SettleContext): Promise<void> {
  if (lane.free() === 0) return
  for (const { id, settle } of await takeUnsettled(ctx, lane.free())) lane.start(id, settle)
}

/** Starts the probes that are due. The end of an outage is logged where it is noticed. */
async function startProbes(lane: Lane, ctx: SettleContext): Promise<void> {
  if (lane.free() === 0) return
  for (const site of await takeDueProbes(ctx.db, lane.free()))
    lane.start(site.controllerId, () => probeOutage(ctx, site))
}

/** Starts to forget guests if a run is due. Only the elected worker does. The run logs its own end. */
async function startForgetting(lane: Lane, ctx: WorkerContext): Promise<void> {
  if (ctx.queue.isElected() && lane.free() > 0 && (await isRunDue(ctx)))
    lane.start('guests', (stopping) => forgetGuests(ctx, stopping))
}

/** Starts to complete erasures of guests, e.g. those whose vouchers have ended. Only the elected worker does. It logs its own end. */
async function startErasing(lane: Lane, ctx: WorkerContext): Promise<void> {
  if (ctx.queue.isElected()) lane.start('erasures', (stopping) => continueErasures(ctx, stopping))
}

/** Starts to send messages that are due. Nobody needs a line in the log for each message. */
async function startMessages(lane: Lane, ctx: WorkerContext): Promise<void> {
  if (lane.free() === 0) return
  const due = await takeMessages(ctx, { limit: lane.free(), running: lane.keys(), mostOfOneMaker })
  for (const { id, send } of due) lane.start(id, send)
}
