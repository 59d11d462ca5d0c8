import type { Behaviour } from '../behaviour.ts'
import type { JsonObject } from '../http/json.ts'
import { deletionReply, type Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { expiresAtMs, isExpired, type Site, type Voucher } from '../store/voucher.ts'
import { readCreateBody } from './read-create-body.ts'
import { failure, ok } from './replies.ts'
import { classicSiteId } from './site-handlers.ts'

type SiteRequest = { site: Site; body: JsonObject }

export function listVouchers({ store, behaviour }: Simulator, { site, body }: SiteRequest): Reply {
  const { create_time: second } = body
  if (second !== undefined && !Number.isSafeInteger(second)) return failure(400, 'api.err.InvalidArgs')
  const vouchers = second === undefined ? store.list(site.id) : store.listBySecond(site.id, Number(second))
  const shown = behaviour.oldController ? vouchers.filter((voucher) => !isUsedUp(voucher)) : vouchers
  const nowMs = store.clock.now()
  return ok(shuffle(shown).map((voucher) => voucherView(voucher, { behaviour, nowMs })))
}

/** The answer contains only the second of the creation. Clients look up the codes in the list. */
export function createVouchers({ store, behaviour, account }: Simulator, { site, body }: SiteRequest): Reply {
  if (behaviour.readOnly) return failure(403, 'api.err.NoPermission')
  const creation = readCreateBody(body, behaviour)
  if (!creation) return failure(400, 'api.err.InvalidArgs')
  const adminName = behaviour.adminName ?? account.username
  const [first] = store.insert(site.id, { ...creation.settings, createdBy: 'api', adminName }, creation.count)
  return ok([{ create_time: (first?.createdAtMs ?? 0) / 1000 }])
}

/** Answers ok to any `_id`, as real controllers do. A client that sends the code instead deletes nothing. */
export function deleteVoucher({ store, behaviour }: Simulator, { site, body }: SiteRequest): Reply {
  if (behaviour.readOnly) return failure(403, 'api.err.NoPermission')
  const { _id: id } = body
  if (typeof id !== 'string') return failure(400, 'api.err.IdInvalid')
  const voucher = store.findByClassicId(site.id, id)
  if (voucher) store.delete(voucher)
  return deletionReply(ok(), behaviour)
}

/** A single-use voucher that was used. */
function isUsedUp({ authorizedGuestLimit, devices }: Voucher): boolean {
  return authorizedGuestLimit === 1 && devices.size > 0
}

/** The random order keeps clients from relying on any order. */
function shuffle<Item>(items: readonly Item[]): Item[] {
  const shuffled = [...items]
  for (const [at, item] of items.entries()) {
    const earlier = Math.floor(Math.random() * (at + 1))
    shuffled[at] = shuffled[earlier] as Item
    shuffled[earlier] = item
  }
  return shuffled
}

/** A voucher as the classic API shows it. Undefined members do not appear in JSON. */
function voucherView(voucher: Voucher, { behaviour, nowMs }: { behaviour: Behaviour; nowMs: number }) {
  const { authorizedGuestLimit = 0, txRateLimitKbps: up, rxRateLimitKbps: down, dataUsageLimitMBytes: bytes } = voucher
  const hasLimits = up !== undefined || down !== undefined || bytes !== undefined
  return {
    _id: voucher.classicId,
    site_id: classicSiteId(voucher.siteId),
    code: voucher.code,
    create_time: voucher.createdAtMs / 1000,
    duration: voucher.timeLimitMinutes,
    quota: authorizedGuestLimit,
    used: voucher.devices.size,
    note: noteOf(voucher, behaviour),
    admin_name: voucher.adminName,
    for_hotspot: false,
    qos_overwrite: hasLimits || (behaviour.qosOverwriteFalse ? false : undefined),
    qos_rate_max_up: up,
    qos_rate_max_down: down,
    qos_usage_quota: behaviour.stringQuota && bytes !== undefined ? String(bytes) : bytes,
    status: statusOf(voucher, nowMs),
    ...timesOf(voucher, nowMs),
  }
}

function noteOf({ name }: Voucher, { nullNotes, emptyNotes }: Behaviour): string | null | undefined {
  if (nullNotes === 'absent') return undefined
  if (name === '' && emptyNotes !== 'empty') return emptyNotes === 'null' ? null : undefined
  return nullNotes ? null : name
}

function statusOf(voucher: Voucher, nowMs: number): string {
  if (isExpired(voucher, nowMs)) return 'EXPIRED'
  if (voucher.devices.size > 0) return 'USED_MULTIPLE'
  return voucher.authorizedGuestLimit === 1 ? 'VALID_ONE' : 'VALID_MULTI'
}

/** `status_expires` is a duration in seconds, and 0 before the first use. */
function timesOf(voucher: Voucher, nowMs: number) {
  const endMs = expiresAtMs(voucher)
  if (voucher.activatedAtMs === undefined || endMs === undefined) return { status_expires: 0 }
  const secondsLeft = Math.max(0, Math.ceil((endMs - nowMs) / 1000))
  return { start_time: voucher.activatedAtMs / 1000, end_time: endMs / 1000, status_expires: secondsLeft }
}
