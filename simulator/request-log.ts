import { isObject, parseJson } from './http/json.ts'

export type LoggedRequest = {
  at: string
  method: string
  path: string
  query: string
  /** Null until the request is answered. Stays null when the connection was dropped or hangs. */
  status: number | null
  /** The size of the answer's body as it was sent; null while nothing was sent. */
  replyBytes: number | null
  body: unknown
}

export type RequestLog = {
  list(): readonly LoggedRequest[]
  add(request: { atMs: number; method: string; path: string; query: string }): LoggedRequest
  /** Adds the JSON of the body. `parsed` saves parsing the text again. */
  addBody(entry: LoggedRequest, text: string, parsed: unknown): void
  /** Returns how many entries it removed. */
  clear(): number
}

/** The log hides the API key wherever a caller sends it, and the member `password` of bodies. */
export function createRequestLog(apiKey: string): RequestLog {
  let entries: LoggedRequest[] = []
  const hide = (text: string) => text.replaceAll(apiKey, '[api key]')
  return {
    list: () => entries,
    add({ atMs, method, path, query }) {
      const at = new Date(atMs).toISOString()
      const entry = { at, method, path: hide(path), query: hide(query), status: null, replyBytes: null, body: null }
      entries.push(entry)
      return entry
    },
    addBody(entry, text, parsed) {
      const body = (text.includes(apiKey) ? parseJson(hide(text)) : parsed) ?? null
      entry.body = isObject(body) && 'password' in body ? { ...body, password: '[password]' } : body
    },
    clear() {
      const { length } = entries
      entries = []
      return length
    },
  }
}
