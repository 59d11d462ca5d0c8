import { isObject, parseJson } from './http/json.ts'

export type LoggedRequest = {
  at: string
  method: string
  path: string
  query: string
  /** Null until it is answered, and for ever when the connection was dropped or hangs. */
  status: number | null
  /** Of the body of the answer, as it was handed to the connection; null while there is none. */
  replyBytes: number | null
  body: unknown
}

export type RequestLog = {
  list(): readonly LoggedRequest[]
  add(request: { atMs: number; method: string; path: string; query: string }): LoggedRequest
  /** Keeps the JSON of the body; `parsed` saves parsing it again. */
  addBody(entry: LoggedRequest, text: string, parsed: unknown): void
  clear(): number
}

/** Whatever a caller sends, and wherever, the API key is not kept, nor is a password. */
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
