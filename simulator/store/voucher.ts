export type Site = { id: string; internalReference: string; name: string }

export type VoucherSettings = {
  /** Empty when the voucher was created without a note. */
  name: string
  timeLimitMinutes: number
  authorizedGuestLimit?: number | undefined
  dataUsageLimitMBytes?: number | undefined
  rxRateLimitKbps?: number | undefined
  txRateLimitKbps?: number | undefined
}

export type Voucher = VoucherSettings & {
  id: string
  /** The `_id` in the classic API. The Integration API never shows it. */
  classicId: string
  siteId: string
  code: string
  createdAtMs: number
  createdBy: 'api' | 'elsewhere'
  adminName: string
  activatedAtMs: number | undefined
  devices: Set<string>
  deleted: boolean
}

export function expiresAtMs(voucher: Voucher): number | undefined {
  return voucher.activatedAtMs === undefined ? undefined : voucher.activatedAtMs + voucher.timeLimitMinutes * 60_000
}

/** An unused voucher never expires, because its time runs from the first redemption. */
export function isExpired(voucher: Voucher, nowMs: number): boolean {
  const endMs = expiresAtMs(voucher)
  return endMs !== undefined && nowMs >= endMs
}
