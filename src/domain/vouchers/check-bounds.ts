import type { Bound, Driver, Limit, VoucherShape } from '#drivers/driver.ts'
import { DomainError } from '../errors.ts'

/** Where the driver names none: what a column can hold. */
const max = 2_147_483_647
const otherwise: Record<Limit, Bound> = {
  maxUses: { min: 1, max, zeroMeansNone: true },
  expireMinutes: { min: 1, max },
  downKbps: { min: 0, max },
  upKbps: { min: 0, max },
  quotaMb: { min: 0, max },
}

const fields: Record<Limit, string> = {
  maxUses: 'max_uses',
  expireMinutes: 'expire_minutes',
  downKbps: 'qos.down',
  upKbps: 'qos.up',
  quotaMb: 'qos.quota_mb',
}

/** Refuses what the driver is documented not to accept, by the name and the bounds of the field. Nothing is clamped. */
export function checkBounds(driver: Driver, shape: VoucherShape): void {
  for (const [limit, field] of Object.entries(fields) as [Limit, string][]) {
    const value = shape[limit]
    const { min, max, zeroMeansNone } = driver.bounds[limit] ?? otherwise[limit]
    if (zeroMeansNone && value === 0) continue
    if (value < min || value > max) throw new DomainError('beyond_bounds', { details: { field, min, max } })
  }
}
