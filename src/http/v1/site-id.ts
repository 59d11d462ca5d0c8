import { maxSiteId } from '#domain/sites/sites.queries.ts'
import { toInteger } from './integer.ts'

/** A site's number, `none` for one too large for any site, undefined for what is no number of a site at all. */
export type SiteId = number | 'none' | undefined

export function toSiteId(value: unknown): SiteId {
  const id = toInteger(value)
  if (id === undefined || id <= 0) return undefined
  return id <= maxSiteId ? id : 'none'
}
