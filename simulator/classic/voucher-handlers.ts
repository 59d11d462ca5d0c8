import type { JsonObject } from '../http/json.ts'
import { deletionReply, type Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import type { Site, Voucher } from '../store/voucher.ts'
import { readCreateBody } from './create-body.ts'
import { failure, ok } from './meta-reply.ts'
import { voucherView } from './voucher-view.ts'

type SiteRequest = { site: Site; body: JsonObject }

export function listVouchers({ store, behaviour }: Simulator, { site, body }: SiteRequest): Reply {
  const { create_time: second } = body
  if (second !== undefined && !Number.isSafeInteger(second)) return failure(400, 'api.err.InvalidArgs')
  const vouchers = second === undefined ? store.list(site.id) : store.listBySecond(site.id, Number(second))
  const shown = behaviour.oldController ? vouchers.filter((voucher) => !isSpent(voucher)) : vouchers
  const nowMs = store.clock.now()
  return ok(shuffled(shown).map((voucher) => voucherView(voucher, { behaviour, nowMs })))
}

/** The answer contains only the second of the creation; clients look up the codes in the list. */
export function createVouchers({ store, behaviour, account }: Simulator, { site, body }: SiteRequest): Reply {
  if (behaviour.readOnly) return failure(403, 'api.err.NoPermission')
  const wanted = readCreateBody(body, behaviour)
  if (!wanted) return failure(400, 'api.err.InvalidArgs')
  const voucher = { ...wanted.settings, createdBy: 'api', adminName: behaviour.adminName ?? account.username } as const
  const [first] = store.insert(site.id, voucher, wanted.count)
  return ok([{ create_time: (first?.createdAtMs ?? 0) / 1000 }])
}

/** Says ok to any `_id`, as real controllers do: who gave the code instead has deleted nothing. */
export function deleteVoucher({ store, behaviour }: Simulator, { site, body }: SiteRequest): Reply {
  if (behaviour.readOnly) return failure(403, 'api.err.NoPermission')
  const { _id: id } = body
  if (typeof id !== 'string') return failure(400, 'api.err.IdInvalid')
  const voucher = store.findByClassicId(site.id, id)
  if (voucher) store.delete(voucher)
  return deletionReply(ok(), behaviour)
}

function isSpent({ authorizedGuestLimit, devices }: Voucher): boolean {
  return authorizedGuestLimit === 1 && devices.size > 0
}

/** Shuffles the list, so that no client relies on its order. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  const mixed = [...items]
  for (const [at, item] of items.entries()) {
    const earlier = Math.floor(Math.random() * (at + 1))
    mixed[at] = mixed[earlier] as Item
    mixed[earlier] = item
  }
  return mixed
}
