import { CommandRefused } from '../errors.ts'

/** Scheme, host, port and path only: a password in the address would be stored and shown in clear. */
export function controllerAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    throw new CommandRefused('The address must begin with https:// (or http://), e.g. https://192.168.1.1.')
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new CommandRefused('The address must hold no user name, password, query or fragment.')
  }
  return url.href.replace(/\/$/, '')
}

export function checkPin({ address, certificatePin }: { address: string; certificatePin: Buffer | null }): void {
  if (certificatePin && !address.startsWith('https:'))
    throw new CommandRefused('Only an https:// address has a certificate.')
}
