/** Identifies a voucher or a batch. Both are stored in partitions by site. */
export type SiteItem = { siteId: number; id: string }

/**
 * The public id of a voucher or a batch in API v2 and in events, such as `7-0193…`. It contains the site, so that one lookup in
 * one partition finds the item.
 */
export function publicId({ siteId, id }: SiteItem): string {
  return `${siteId}-${id}`
}
