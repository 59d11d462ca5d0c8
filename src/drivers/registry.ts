import type { DriverKind } from './driver.ts'

/** The dialects a controller can be recorded with, and what it asks for. */
export const drivers: Readonly<Record<string, DriverKind>> = {
  'unifi-integration': { about: 'UniFi console with an API key (official Integration API)', credentials: 'api-key' },
  'unifi-classic': { about: 'UniFi console or Network Application with a local user', credentials: 'login' },
}
