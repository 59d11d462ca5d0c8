import { v7 as uuidv7 } from 'uuid'
import type { Queryable } from '#db/database.ts'
import { type Requester, sourceName } from '#domain/actor.ts'
import { pauseAfter } from '#domain/deliveries/record-failure.ts'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import type { Fact } from '#domain/webhooks/notification.ts'
import { receiverUrl } from '#domain/webhooks/receiver-url.ts'
import type { Context } from '../../../context.ts'
import { insertRows, type Row, updateRow } from '../demo.queries.ts'
import { failingReply, type ReceiverUrls } from '../receive-webhooks.ts'
import type { DemoSite } from '../seed-demo.ts'
import type { Past } from './seed-history.ts'
import { daysBefore } from './wall-clock.ts'

export type DemoWebhooks = { hotelSystem: string; doorSigns: string }

/** Adds a webhook that works, and one of the annex that fails. Returns their ids. */
export async function seedWebhooks(
  ctx: Context,
  admin: Requester,
  { receiver, annex }: { receiver: ReceiverUrls; annex: number },
): Promise<DemoWebhooks> {
  const add = (name: string, url: string, request: Pick<Parameters<typeof addWebhook>[2], 'siteIds' | 'events'>) =>
    addWebhook(ctx, admin, { name, format: 'generic', url: receiverUrl(url, ctx.receiverAddresses), ...request })
  const hotelSystem = await add('Hotel system', receiver.workingUrl, {
    siteIds: undefined,
    events: ['voucher.first_used', 'voucher.revoked', 'controller.unreachable', 'controller.reachable'],
  })
  const doorSigns = await add('Door signs', receiver.failingUrl, { siteIds: [annex], events: ['voucher.created'] })
  return { hotelSystem: hotelSystem.id, doorSigns: doorSigns.id }
}

/** An event of the past and its only delivery. `siteIds` are the sites of a controller. */
type PastEvent = { fact: Fact; at: Date; webhookId: string; siteId?: number; controllerId?: string; siteIds?: number[] }

const keptDays = 30
const failingDays = 4

/** Inserts the log of the last 30 days. The door signs have failed for four days. */
export async function seedDeliveries(tx: Queryable, past: Past): Promise<void> {
  const { webhooks, today, now, at } = past
  const firstDay = daysBefore(today(now), keptDays - 1)
  const failingFrom = at(daysBefore(today(now), failingDays), 9 * 60 + 20)
  const events = [...eventsOfVouchers(past), ...eventsOfOutage(past)].filter((event) => today(event.at) >= firstDay)
  const logged = events.map((event) => {
    const isFailing = event.webhookId === webhooks.doorSigns && event.at >= failingFrom
    const { attempts, next } = isFailing ? failuresOf(event.at, now) : { attempts: [event.at], next: null }
    return { ...event, eventId: idAt(event.at), id: idAt(event.at), isFailing, attempts, next }
  })
  const failures = logged.filter(({ isFailing }) => isFailing).map((event) => event.at.getTime())
  await updateRow(tx, 'webhooks', webhooks.hotelSystem, { is_slow: false })
  if (failures.length > 0)
    await updateRow(tx, 'webhooks', webhooks.doorSigns, { failing_since: new Date(Math.min(...failures)) })
  await insertRows(tx, 'events', logged.map(eventRow))
  await insertRows(tx, 'deliveries', logged.map(deliveryRow))
  await insertRows(tx, 'delivery_attempts', logged.flatMap(attemptRows))
}

/** The hotel system gets uses and revocations, the door signs get the new vouchers of the annex. */
function eventsOfVouchers({ sites, webhooks, plan }: Past): PastEvent[] {
  const nameOf = new Map(sites.map(({ site, name }) => [site, name]))
  return plan.vouchers.flatMap(({ siteId, id, reference, maker, createdAt, firstUsedAt, revoked }) => {
    const data = { site_id: siteId, site: nameOf.get(siteId) ?? '', vouchers: [{ id, reference }] }
    const created = { ...data, source: sourceName(maker) }
    const reason = revoked?.by ? ('request' as const) : ('valid_until' as const)
    const toHotel = { siteId, webhookId: webhooks.hotelSystem }
    const toDoors = { siteId, webhookId: webhooks.doorSigns }
    return [
      ...(siteId === sites[1]?.site
        ? [{ ...toDoors, at: createdAt, fact: { type: 'voucher.created' as const, data: created } }]
        : []),
      ...(firstUsedAt ? [{ ...toHotel, at: firstUsedAt, fact: { type: 'voucher.first_used' as const, data } }] : []),
      ...(revoked
        ? [{ ...toHotel, at: revoked.at, fact: { type: 'voucher.revoked' as const, data: { ...data, reason } } }]
        : []),
    ]
  })
}

function eventsOfOutage({ sites, webhooks, plan: { outage } }: Past): PastEvent[] {
  const { site, controllerId, controller } = sites[2] as DemoSite
  const shared = { controllerId, siteIds: [site], webhookId: webhooks.hotelSystem }
  const since = outage.since.toISOString()
  const until = outage.until.toISOString()
  const data = { controller: controller.name, since }
  return [
    { ...shared, at: outage.since, fact: { type: 'controller.unreachable', data: { ...data, until: null } } },
    { ...shared, at: outage.until, fact: { type: 'controller.reachable', data: { ...data, until } } },
  ]
}

/** The failed attempts so far, and the time of the next one; null when all failed. */
function failuresOf(first: Date, now: Date): { attempts: Date[]; next: Date | null } {
  const attempts = [first]
  for (let next = first; ; attempts.push(next)) {
    const pauseMs = pauseAfter(attempts.length, { scale: 1, askedMs: null, random: () => 0.5 })
    if (pauseMs === undefined) return { attempts, next: null }
    next = new Date(next.getTime() + pauseMs)
    if (next > now) return { attempts, next }
  }
}

type Logged = PastEvent & { eventId: string; id: string; isFailing: boolean; attempts: Date[]; next: Date | null }

function eventRow({ eventId, fact, siteId, controllerId, at }: Logged): Row {
  const of = { site_id: siteId ?? null, controller_id: controllerId ?? null }
  return { id: eventId, type: fact.type, ...of, data: fact.data, created_at: at }
}

function deliveryRow({ id, eventId, webhookId, at, isFailing, attempts, next, siteIds }: Logged): Row {
  const last = attempts.at(-1) as Date
  return {
    id,
    event_id: eventId,
    webhook_id: webhookId,
    state: next ? 'pending' : isFailing ? 'failed' : 'delivered',
    attempts: attempts.length,
    next_attempt_at: next,
    settled_at: next ? null : last,
    created_at: at,
    turn: attempts.length,
    rung: isFailing ? attempts.length : 0,
    site_ids: siteIds ?? null,
  }
}

function attemptRows({ id, isFailing, attempts }: Logged): Row[] {
  return attempts.map((startedAt, i) => ({
    delivery_id: id,
    attempt: i + 1,
    started_at: startedAt,
    duration_ms: 8 + (startedAt.getTime() % 61),
    status: isFailing ? 503 : 204,
    reply: isFailing ? failingReply : '',
  }))
}

function idAt(time: Date): string {
  return uuidv7({ msecs: time.getTime() })
}
