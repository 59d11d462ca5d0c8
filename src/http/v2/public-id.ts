import { maxSiteId } from '#domain/sites/sites.queries.ts'

const shape = /^([1-9]\d{0,9})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export type OfSite = { siteId: number; id: string }

/**
 * `7-0193…`: the public id of a voucher or a batch carries the site, because they lie in parts by site. So one text is
 * enough to find it in one part, also years later, and nobody has to keep two things together. An event's `site_id` and
 * one of its `voucher_ids` make the same text.
 */
export function publicId({ siteId, id }: OfSite): string {
  return `${siteId}-${id}`
}

/** Undefined for what can be nothing's id. */
export function readPublicId(text: string): OfSite | undefined {
  const [, site, id] = shape.exec(text) ?? []
  if (id === undefined || Number(site) > maxSiteId) return undefined
  return { siteId: Number(site), id }
}
