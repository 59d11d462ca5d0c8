/** A voucher on a simulated controller. */
export type SeededVoucher = {
  id: string
  code: string
  name: string
  minutes: number
  createdAtMs: number
  usedAtMs: number | null
}

type Place = { site: number; place: number; vouchersPerSite: number; epochMs: number }

const daySeconds = 86_400

/**
 * A seeded voucher as its controller has it. `seededVouchersSql` is the same for the record. The first half of a site's vouchers is
 * in use, and their minutes run out one after the other during the next day. The others wait for their guests; the newest was made
 * within ten minutes before the seed, so every site is in use.
 */
export function seededVoucher({ site, place, vouchersPerSite, epochMs }: Place): SeededVoucher {
  const half = Math.floor(vouchersPerSite / 2)
  const isUsed = place <= half
  const usedAgo = (site * 61 + place * Math.floor(daySeconds / half)) % daySeconds
  const createdAgo = isUsed
    ? usedAgo + 3_600
    : place === vouchersPerSite
      ? (site * 7_919) % 600
      : (vouchersPerSite - place) * 10_800 + (site % 600)
  return {
    id: `${hex(site, 8)}-0000-4000-8000-${hex(place, 12)}`,
    code: String(site * 1_000 + place).padStart(10, '0'),
    name: `Familie Huber, Zimmer ${100 + place}`,
    minutes: 1_440,
    createdAtMs: epochMs - createdAgo * 1_000,
    usedAtMs: isUsed ? epochMs - usedAgo * 1_000 : null,
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}

/** A voucher as the Integration API shows it. `usedLaterMs`: the time of a first use after the seed. */
export function viewOf(
  { id, code, name, minutes, createdAtMs, usedAtMs }: SeededVoucher,
  usedLaterMs?: number | undefined,
) {
  const activatedAtMs = usedLaterMs ?? usedAtMs
  const expiresAtMs = activatedAtMs === null ? null : activatedAtMs + minutes * 60_000
  return {
    id,
    createdAt: stamp(createdAtMs),
    name,
    code,
    authorizedGuestLimit: 1,
    authorizedGuestCount: activatedAtMs === null ? 0 : 1,
    ...(activatedAtMs !== null && { activatedAt: stamp(activatedAtMs) }),
    ...(expiresAtMs !== null && { expiresAt: stamp(expiresAtMs) }),
    expired: expiresAtMs !== null && expiresAtMs <= Date.now(),
    timeLimitMinutes: minutes,
  }
}

function stamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** SQL that inserts what `seededVoucher` gives. $1 is the number of sites, $2 the vouchers of each, $3 the time of the seed. */
export const seededVouchersSql = `
  insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, status,
    used_count, created_at, first_used_at, expires_at, synced_at, first_use_told, issued_on)
  select site, (lpad(to_hex((extract(epoch from created) * 1000)::bigint), 12, '0') || '7' || substr(hash, 1, 3) || '8'
           || substr(hash, 4, 15))::uuid,
         lpad(to_hex(site), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(place), 12, '0'),
         lpad((site::bigint * 1000 + place)::text, 10, '0'), guest, guest, 1, 1440,
         case when is_used then 'used' else 'valid' end, case when is_used then 1 else 0 end, created,
         case when is_used then used end, case when is_used then used + interval '1440 minutes' end, $3::timestamptz, is_used,
         created::date
    from generate_series(1, $1::integer) site, generate_series(1, $2::integer) place,
         lateral (select place <= $2 / 2 as is_used, (site::bigint * 61 + place * (${daySeconds} / ($2 / 2))) % ${daySeconds} as used_ago) a,
         lateral (select $3::timestamptz - used_ago * interval '1 second' as used,
                         $3::timestamptz - interval '1 second' * (case when is_used then used_ago + 3600
                           when place = $2 then (site::bigint * 7919) % 600
                           else ($2 - place) * 10800 + site % 600 end) as created,
                         md5(site || '-' || place) as hash, 'Familie Huber, Zimmer ' || 100 + place as guest) b`
