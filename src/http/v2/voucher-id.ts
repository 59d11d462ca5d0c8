import { maxSiteId } from '#domain/sites/sites.queries.ts'

const shape = /^([1-9]\d{0,9})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * `7-0193…`: the public id carries the site, because vouchers lie in parts by site. So one text is enough to find a voucher
 * in one part, also years later, and nobody has to keep two things together. An event's `site_id` and one of its
 * `voucher_ids` make the same text.
 */
export function voucherId({ siteId, id }: { siteId: number; id: string }): string {
  return `${siteId}-${id}`
}

/** Undefined for what can be no voucher's id. */
export function readVoucherId(text: string): { siteId: number; id: string } | undefined {
  const [, site, id] = shape.exec(text) ?? []
  if (id === undefined || Number(site) > maxSiteId) return undefined
  return { siteId: Number(site), id }
}
