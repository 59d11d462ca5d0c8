import type { ControllerAccess } from '#drivers/driver.ts'
import { machineClock } from '#lib/clock.ts'
import { addressPolicy } from './address-policy.ts'
import { memorySession } from './memory-session.ts'

/** What a driver needs besides the controller itself, when it is tested without a database. */
export function directAccess(): Pick<ControllerAccess, 'addressPolicy' | 'session' | 'clock' | 'stampSkewMs'> {
  return { addressPolicy, session: memorySession(), clock: machineClock, stampSkewMs: () => 0 }
}
