import type { SiteItem } from '#domain/public-id.ts'
import { readPublicId } from '#http/v2/kit/fields.ts'

/** The voucher or the batch of a public id, such as `7-0193…`. */
export function itemOf(publicId: string): SiteItem {
  const item = readPublicId(publicId)
  if (item === undefined) throw new Error(`${publicId} is not a public id`)
  return item
}
