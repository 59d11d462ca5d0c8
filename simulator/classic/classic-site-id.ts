/** 24 hexadecimal digits, as the classic API has them. */
export function classicSiteId(siteId: string): string {
  return siteId.replaceAll('-', '').slice(-24)
}
