import type { Driver, Limit, VoucherShape } from '#drivers/driver.ts'
import { DomainError } from '../errors.ts'

/** What no database column and no controller can hold. */
const largest = 2_147_483_647

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
    const { min, max, zeroMeansNone } = driver.bounds[limit] ?? { min: 0, max: largest }
    if (zeroMeansNone && value === 0) continue
    if (value < min || value > max) throw new DomainError('beyond_bounds', { details: { field, min, max } })
  }
}
