import type { AddressForm, Driver } from '../driver.ts'
import { httpLayerChecks } from './layer-checks.ts'
import { reach } from './reach.ts'

/** The members of `Driver` that are the same for all drivers that use HTTP: the address, and the checks of a controller. */
export const httpDriver: Pick<Driver, 'address' | 'reach' | 'layerChecks'> = {
  address: httpAddress(),
  reach,
  layerChecks: httpLayerChecks,
}

function httpAddress(): AddressForm {
  return {
    rule: 'begin with https:// (or http://)',
    example: 'https://192.168.1.1',
    parse(text) {
      const url = URL.canParse(text) ? new URL(text) : undefined
      if (!url || !['https:', 'http:'].includes(url.protocol)) return { problem: 'malformed' }
      if (url.username || url.password || url.search || url.hash) return { problem: 'has_extras' }
      return { address: url.href.replace(/\/$/, '') }
    },
    hasCertificate: (address) => address.startsWith('https:'),
  }
}
