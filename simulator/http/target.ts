export type Target = { path: string; query: string }

/** Splits what was asked for; no decoding, so that the log shows what was sent. */
export function readTarget(url: string): Target {
  const at = url.indexOf('?')
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) }
}
