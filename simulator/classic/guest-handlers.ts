import type { JsonObject } from '../http/json.ts'
import type { Reply } from '../http/reply.ts'
import type { Simulator } from '../simulator.ts'
import { type Guest, readMac, unauthorize } from '../store/guests.ts'
import type { Site } from '../store/voucher.ts'
import { failure, ok } from './replies.ts'
import { classicSiteId } from './site-handlers.ts'

type GuestView = { nowMs: number; behaviour: Simulator['behaviour'] }

const apMac = '00:00:5e:00:53:01'
const msPerHour = 3_600_000
const defaultWithinHours = 24

/** Guests whose authorisation overlaps `start` to `end` in milliseconds, or the last `within` hours. */
export function listGuests(
  { store, behaviour }: Simulator,
  { site, body, query }: { site: Site; body: JsonObject; query: string },
): Reply {
  const nowMs = store.clock.now()
  const range = { ...Object.fromEntries(new URLSearchParams(query)), ...body }
  const { within = defaultWithinHours, start = nowMs - Number(within) * msPerHour, end = nowMs } = range
  const [fromMs, toMs] = [Number(start), Number(end)]
  if (Number.isNaN(fromMs) || Number.isNaN(toMs)) return failure(400, 'api.err.InvalidArgs')
  const guests = store.guests.filter(
    ({ siteId, startMs, endMs, unauthorized }) =>
      siteId === site.id && startMs <= toMs && endMs >= fromMs && !(unauthorized && behaviour.forgetUnauthorized),
  )
  return ok(guests.map((guest) => guestView(guest, { nowMs, behaviour })))
}

/** Answers ok to any MAC address, even if that device is not authorised. */
export function unauthorizeGuest(
  { store, behaviour }: Simulator,
  { site, body }: { site: Site; body: JsonObject },
): Reply {
  if (behaviour.readOnly) return failure(403, 'api.err.NoPermission')
  const mac = readMac(body['mac'])
  if (mac === undefined) return failure(400, 'api.err.InvalidArgs')
  unauthorize(store, { siteId: site.id, mac })
  return ok()
}

function guestView({ voucher, ...guest }: Guest, { nowMs, behaviour }: GuestView) {
  return {
    _id: guest.id,
    site_id: classicSiteId(guest.siteId),
    user_id: guest.userId,
    mac: guest.mac.replaceAll(/..(?=.)/g, '$&:'),
    ap_mac: apMac,
    name: '',
    authorized_by: voucher ? 'voucher' : 'api',
    ...(voucher && behaviour.guestsNameVoucher && { voucher_id: voucher.classicId, voucher_code: voucher.code }),
    start: guest.startMs / 1000,
    end: guest.endMs / 1000,
    duration: (guest.endMs - guest.startMs) / 60_000,
    ...(!behaviour.guestsWithoutExpired && { expired: guest.endMs <= nowMs }),
    rx_bytes: 0,
    tx_bytes: 0,
  }
}
