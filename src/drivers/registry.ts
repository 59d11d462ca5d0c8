import type { Driver } from './driver.ts'
import { unifiClassic } from './unifi-classic/driver.ts'
import { unifiIntegration } from './unifi-integration/driver.ts'

/** The drivers that a controller can be recorded with, by name. */
export const drivers: Readonly<Record<string, Driver>> = {
  'unifi-integration': unifiIntegration,
  'unifi-classic': unifiClassic,
}
