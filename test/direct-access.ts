import type { ControllerAccess } from '#drivers/driver.ts'
import { machineClock } from '#lib/clock.ts'
import { addressPolicy } from './address-policy.ts'
import { memorySession } from './memory-session.ts'

/** The tools that a driver needs besides its controller, for tests without a database. */
export function directAccess(): Pick<ControllerAccess, 'addressPolicy' | 'session' | 'clock' | 'stampSkewMs'> {
  return { addressPolicy, session: memorySession(), clock: machineClock, stampSkewMs: () => 0 }
}
