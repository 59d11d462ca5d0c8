import { createHash } from 'node:crypto'
import type { SeenVoucher } from '#drivers/driver.ts'

/**
 * A hash of a controller's list and of the site's setting that decides what sync does with it. Contains only the values that sync
 * reads. The order of the list does not matter. First use and expiry are measured from the creation of the voucher: each process
 * corrects the controller's clock with a small error of its own, which the difference of two times does not have.
 */
export function fingerprintOf(seen: SeenVoucher[], { adopts }: { adopts: boolean }): Buffer {
  const lines = seen.map(
    ({ id, code, shape, usedCount, createdAt, stampedAt, firstUsedAt, expiresAt, expired, isOurs }) => {
      const after = (time: Date | null) => time && (createdAt ? time.getTime() - createdAt.getTime() : time.getTime())
      const { name, maxUses, expireMinutes, downKbps, upKbps, quotaMb } = shape
      const limits = [maxUses, expireMinutes, downKbps, upKbps, quotaMb]
      return JSON.stringify([
        id ?? '',
        code,
        name,
        ...limits,
        usedCount,
        stampedAt?.getTime() ?? null,
        after(firstUsedAt),
        after(expiresAt),
        expired,
        isOurs,
      ])
    },
  )
  const hash = createHash('sha256').update(adopts ? 'adopts\n' : 'does not adopt\n')
  for (const line of lines.sort()) hash.update(line).update('\n')
  return hash.digest()
}
