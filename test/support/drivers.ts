import { createControllerAddressPolicy } from '#drivers/controller-address-policy.ts'
import type {
  ControllerAccess,
  ControllerConnection,
  ControllerVoucher,
  Session,
  SharedSession,
  VoucherShape,
} from '#drivers/driver.ts'
import { machineClock } from '#lib/clock.ts'

/** The tools that a driver needs besides its controller, for tests without a database. */
export function directAccess(): Pick<ControllerAccess, 'addressPolicy' | 'session' | 'clock' | 'stampSkewMs'> {
  return { addressPolicy, session: memorySession(), clock: machineClock, stampSkewMs: () => 0 }
}

/** The policy of tests whose controllers may listen on any port of this machine. */
export const addressPolicy = createControllerAddressPolicy({ port: 0, databaseUrl: 'postgres://localhost' })

/** The session of a driver that is tested without a database. */
export function memorySession(): SharedSession {
  let current: Session | null = null
  return {
    find: async () => current,
    async renew(stale, signIn) {
      if (current === null || current.tokens === stale?.tokens)
        current = { id: crypto.randomUUID(), tokens: await signIn() }
      return current
    },
    async rotate(session) {
      if (current?.id === session.id) current = session
    },
  }
}

/** Creates vouchers as the service does: it claims the candidates that are not in `held` yet. */
export async function createAndClaim(
  connection: ControllerConnection,
  asked: { site: string; shape: VoucherShape; count?: number },
  held = new Set<string>(),
): Promise<ControllerVoucher[]> {
  const { site, shape, count = 1 } = asked
  const claimed: ControllerVoucher[] = []
  for await (const candidates of connection.create(site, shape, count)) {
    for (const voucher of candidates) {
      if (claimed.length === count) break
      if (!held.has(voucher.code)) claimed.push(voucher)
      held.add(voucher.code)
    }
    if (claimed.length === count) return claimed
  }
  return claimed
}
