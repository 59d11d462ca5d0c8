import type { JsonObject } from '../http/json.ts'
import type { Site } from '../store/voucher.ts'
import type { VoucherStore } from '../store/voucher-store.ts'
import { ControlError } from './control-error.ts'

/** Undefined when the body names no site. */
export function findSite(store: VoucherStore, { siteId, internalReference }: JsonObject): Site | undefined {
  if (siteId === undefined && internalReference === undefined) return undefined
  const site = store.sites.find(({ id, internalReference: slug }) => id === siteId || slug === internalReference)
  if (!site) throw new ControlError(404, 'There is no such site')
  return site
}
