import { randomBytes, randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { actorColumns, actorReference } from '#domain/actor.ts'
import { insertCountsOfDays } from '#domain/record/site-days.queries.ts'
import type { Calendar } from '#lib/clock.ts'
import type { Context } from '../../../context.ts'
import { callSimulator } from '../call-simulator.ts'
import { insertRows, moveBack } from '../demo.queries.ts'
import type { DemoSite } from '../seed-demo.ts'
import type { DemoMakers } from '../seed-makers.ts'
import { historyDays, type Plan, type PlannedVoucher, planVouchers } from './plan-vouchers.ts'
import { seedAudit } from './seed-audit.ts'
import { type DemoWebhooks, seedDeliveries } from './seed-deliveries.ts'
import { seedTraffic } from './seed-traffic.ts'
import { createWallClock, minutesAfter, type WallClock } from './wall-clock.ts'

export type History = { sites: DemoSite[]; makers: DemoMakers; webhooks: DemoWebhooks }

/**
 * Writes 60 days of history to the simulated controllers and to the record, as the service would have left it. Everything that
 * exists already becomes older than the history. No worker may run meanwhile: it would find vouchers that are not recorded.
 */
export async function seedHistory(ctx: Context, { sites, makers, webhooks }: History): Promise<void> {
  const now = ctx.clock.now()
  const at = createWallClock(ctx.today)
  const numbers = sites.map(({ site }) => site) as [number, number, number]
  const plan = planVouchers({ sites: numbers, makers, today: ctx.today(now), now, at })
  const past = { sites, makers, webhooks, plan, now, today: ctx.today, at }
  const ids = await storeOnControllers(past)
  await ctx.db.transaction(async (tx) => {
    for (const [table, column] of olderTables) await moveBack(tx, table, column, historyDays + 1)
    const rows = plan.vouchers.map((voucher) => rowOf(voucher, ids, past))
    await insertRows(tx, 'vouchers', rows)
    await insertCountsOfDays(tx, ctx.today.timeZone)
    await insertBatch(tx, past)
    await insertRevocations(tx, plan.vouchers, now)
    await insertOutage(tx, past)
    await seedDeliveries(tx, past)
    await seedAudit(tx, past)
    await seedTraffic(tx, past)
  })
}

export type Past = History & { plan: Plan; now: Date; today: Calendar; at: WallClock }

const olderTables = [
  ['controllers', 'created_at'],
  ['sites', 'created_at'],
  ['staff', 'created_at'],
  ['templates', 'created_at'],
  ['api_keys', 'created_at'],
  ['api_key_secrets', 'created_at'],
  ['webhooks', 'created_at'],
  ['audit', 'at'],
] as const

/** Returns the controllers' ids by the id of the voucher. A revoked voucher is no longer on its controller. */
async function storeOnControllers({ sites, plan: { vouchers }, today }: Past): Promise<Map<string, string>> {
  const stored = sites.map(async ({ site, controllerSite, controller }): Promise<[string, string][]> => {
    const usesApiKey = controller.driver === 'unifi-integration'
    const own = vouchers.filter(({ siteId }) => siteId === site)
    const kept = own.filter(({ revoked }) => !revoked)
    const made = (await callSimulator(controller.simulator.url, '/history', {
      internalReference: controllerSite,
      vouchers: kept.map((voucher) => toController(voucher, today)),
    })) as { id: string; classicId: string }[] | undefined
    if (!made) throw new Error('The simulated controller rejected the history')
    const gone = own.filter(({ revoked }) => revoked)
    return [
      ...kept.map(({ id }, i): [string, string] => [id, made[i]?.[usesApiKey ? 'id' : 'classicId'] as string]),
      ...gone.map(({ id }): [string, string] => [id, usesApiKey ? randomUUID() : randomBytes(12).toString('hex')]),
    ]
  })
  return new Map((await Promise.all(stored)).flat())
}

/** A voucher as the simulator reads it. */
function toController(voucher: PlannedVoucher, today: Calendar) {
  const { code, createdAt, firstUsedAt, devices, maxUses, expireMinutes } = voucher
  const times = { createdAt, ...(firstUsedAt && { firstUsedAt }) }
  const limits = { authorizedGuestLimit: maxUses, timeLimitMinutes: expireMinutes }
  return { code, name: controllerName(voucher, today), ...times, devices, ...limits }
}

function controllerName({ createdAt, name }: PlannedVoucher, today: Calendar): string {
  return `${today(createdAt)}_${name}`
}

/** A voucher as the record has it after a sync. */
function rowOf(voucher: PlannedVoucher, ids: Map<string, string>, { now, today }: Pick<Past, 'now' | 'today'>) {
  const { siteId, id, code, name, reference, maker, maxUses, expireMinutes, validUntil, createdAt, batchId } = voucher
  const { apiKeyId, staffId } = actorColumns(maker)
  const { firstUsedAt, devices, revoked } = voucher
  const expiresAt = firstUsedAt && minutesAfter(firstUsedAt, expireMinutes)
  const isOver = expiresAt !== null && expiresAt <= now
  return {
    site_id: siteId,
    id,
    creation_id: id,
    controller_voucher_id: ids.get(id),
    code,
    controller_name: controllerName(voucher, today),
    name,
    reference,
    max_uses: maxUses,
    expire_minutes: expireMinutes,
    minutes_cut: validUntil !== null,
    qos_down_kbps: 0,
    qos_up_kbps: 0,
    qos_quota_mb: 0,
    status: revoked ? 'revoked' : devices >= maxUses ? 'used' : isOver ? 'expired' : 'valid',
    used_count: devices,
    created_at: createdAt,
    first_used_at: firstUsedAt,
    expires_at: expiresAt,
    valid_until: validUntil,
    revoked_at: revoked?.at ?? null,
    synced_at: firstUsedAt && minutesAfter(firstUsedAt, 2),
    api_key_id: apiKeyId,
    staff_id: staffId,
    batch_id: batchId,
    first_use_told: firstUsedAt !== null,
    end_told: isOver,
    issued_on: today(createdAt),
  }
}

async function insertBatch(tx: Queryable, { plan: { batch, vouchers }, today }: Past): Promise<void> {
  const slips = vouchers.filter(({ batchId }) => batchId === batch.id)
  const [first] = slips
  if (!first) return
  const { apiKeyId, staffId } = actorColumns(batch.maker)
  await insertRows(tx, 'batches', [
    {
      site_id: batch.siteId,
      id: batch.id,
      actor: actorReference(batch.maker),
      api_key_id: apiKeyId,
      staff_id: staffId,
      request_hash: '\\x',
      reference: first.reference,
      max_uses: first.maxUses,
      expire_minutes: first.expireMinutes,
      qos_down_kbps: 0,
      qos_up_kbps: 0,
      qos_quota_mb: 0,
      created_at: batch.createdAt,
      next_run_at: batch.createdAt,
      finished_at: minutesAfter(batch.createdAt, 0.1),
    },
  ])
  const rows = slips.map((slip, i) => ({
    site_id: batch.siteId,
    batch_id: batch.id,
    number: i + 1,
    controller_name: controllerName(slip, today),
    state: 'made',
    attempts: 1,
    creation_id: slip.id,
    voucher_id: slip.id,
    notified: true,
  }))
  await insertRows(tx, 'batch_rows', rows)
}

async function insertOutage(tx: Queryable, { sites, plan: { outage } }: Past): Promise<void> {
  const { controllerId } = sites[2] as DemoSite
  const { since, until } = outage
  await insertRows(tx, 'controller_outages', [
    { controller_id: controllerId, since, until, next_probe_at: until, reason: 'timeout' },
  ])
}

const settledEndsKeptMs = 7 * 86_400_000

/** Requested withdrawals with their revocations, the ends of stays of the last week, and those that are still to come. */
async function insertRevocations(tx: Queryable, vouchers: PlannedVoucher[], now: Date): Promise<void> {
  const requested = vouchers.flatMap(({ revoked, ...voucher }) => (revoked?.by ? [{ voucher, ...revoked }] : []))
  const revocations = requested.map(({ id, at, by, voucher }) => ({
    id,
    actor: actorReference(by),
    api_key_id: actorColumns(by).apiKeyId,
    staff_id: actorColumns(by).staffId,
    request_hash: '\\x',
    created_at: minutesAfter(at, -0.05),
    site_ids: [voucher.siteId],
  }))
  const requestedRows = requested.map(({ id, at, voucher }) =>
    withdrawal(voucher, { reason: 'request', revocationId: id, dueAt: minutesAfter(at, -0.05), settledAt: at }),
  )
  const ends = vouchers.flatMap(({ validUntil, revoked, ...voucher }) => {
    const isRecent = revoked === null || now.getTime() - revoked.at.getTime() < settledEndsKeptMs
    if (!validUntil || revoked?.by || !isRecent) return []
    return [
      withdrawal(voucher, {
        reason: 'valid_until',
        revocationId: null,
        dueAt: validUntil,
        settledAt: revoked?.at ?? null,
      }),
    ]
  })
  await insertRows(tx, 'revocations', revocations)
  await insertRows(tx, 'withdrawals', [...requestedRows, ...ends])
}

type Withdrawal = { reason: string; revocationId: string | null; dueAt: Date; settledAt: Date | null }

function withdrawal(
  { siteId, id }: Pick<PlannedVoucher, 'siteId' | 'id'>,
  { reason, revocationId, dueAt, settledAt }: Withdrawal,
) {
  return {
    site_id: siteId,
    id: uuidv7({ msecs: dueAt.getTime() }),
    voucher_id: id,
    revocation_id: revocationId,
    due_at: dueAt,
    next_attempt_at: dueAt,
    attempts: settledAt ? 1 : 0,
    outcome: settledAt && 'revoked',
    settled_at: settledAt,
    reason,
    only_unused: false,
    disconnect_attempts: 0,
    is_bulk: false,
  }
}
