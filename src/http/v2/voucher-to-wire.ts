import type { Static } from 'typebox'
import type { RecordedVoucher } from '#domain/vouchers/recorded-vouchers.queries.ts'
import { statusAt } from '#domain/vouchers/status.ts'
import { formattedCode } from '#lib/formatted-code.ts'
import { publicId } from './public-id.ts'
import { isoOrNull } from './time.ts'
import type { voucherSchema } from './vouchers.schemas.ts'

export function voucherToWire(now: Date, voucher: RecordedVoucher): Static<typeof voucherSchema> {
  return {
    id: publicId(voucher),
    site_id: voucher.siteId,
    code: voucher.code,
    formatted_code: formattedCode(voucher.code),
    name: voucher.name,
    reference: voucher.reference,
    status: statusAt(now, voucher),
    max_uses: voucher.maxUses,
    used_count: voucher.usedCount,
    expire_minutes: voucher.expireMinutes,
    qos: { down_kbps: voucher.downKbps, up_kbps: voucher.upKbps, quota_mb: voucher.quotaMb },
    created_at: voucher.createdAt.toISOString(),
    first_used_at: isoOrNull(voucher.firstUsedAt),
    expires_at: isoOrNull(voucher.expiresAt),
    valid_until: isoOrNull(voucher.validUntil),
    revoked_at: isoOrNull(voucher.revokedAt),
    synced_at: isoOrNull(voucher.syncedAt),
    source: voucher.source,
    batch_id: voucher.batchId && publicId({ siteId: voucher.siteId, id: voucher.batchId }),
  }
}
