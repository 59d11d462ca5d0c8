import type { AddressPolicy } from '#lib/address-policy.ts'
import type { ControllerConnection } from '../driver.ts'

/** A site's controller, as it is looked at layer by layer. */
export type Subject = {
  address: string
  certificatePin: Buffer | null
  addressPolicy: AddressPolicy
  hasCredentials: boolean
  /** What the controller calls the site. */
  controllerSite: string
  connect(): ControllerConnection
  /** What a person does to enter the credentials. */
  howToEnter: string
  /** And to pin the certificate with this fingerprint. */
  howToPin(fingerprint: string): string
}

export type Target = { protocol: string; host: string; hostname: string; port: string }

/** What a socket needs to know, the port always named. */
export function targetOf(address: string): Target {
  const { protocol, host, hostname, port } = new URL(address)
  return {
    protocol,
    host,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port || (protocol === 'https:' ? '443' : '80'),
  }
}
