const dayMs = 24 * 60 * 60 * 1000

/** What a receiver asks for in `Retry-After`, as seconds or as a date, up to a day. Null when it asks for nothing. */
export function retryAfterMs(header: string | string[] | undefined, now = Date.now()): number | null {
  const value = [header].flat()[0]?.trim() ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : / GMT$/.test(value) ? Date.parse(value) - now : Number.NaN
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), dayMs)
}
