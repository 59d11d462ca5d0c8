import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, call } from '#test/network/http-client.ts'
import type { WatchedSite } from './sites.ts'

/** One request for a voucher and its answer. Times are by this machine's clock. */
export type Attempt = {
  siteId: number
  /** The name that was sent, so without a date in front. */
  name: string
  status: number
  /** The header `Voucher-Outcome`. */
  outcome: string | undefined
  code: string | undefined
  startedAt: number
  endedAt: number
}

export type Desks = {
  attempts: Attempt[]
  /** How many requests were answered with a voucher. */
  done(): number
  /** Closes the desks after each has got the voucher that it is asking for. */
  close(): Promise<void>
}

type Wanted = { siteId: number; name: string; idempotencyKey: string; validUntil?: string }
type Service = { url: string; key: string }

const pauseMs = 150
const dayMs = 86_400_000

/**
 * Opens desks that create vouchers one after another. Some vouchers have `valid_until`, some share a name. Each desk repeats
 * a failed request with the same Idempotency-Key, and reads the list of the site afterwards.
 */
export function openDesks(service: Service, sites: WatchedSite[], count: number): Desks {
  const attempts: Attempt[] = []
  let asked = 0
  let done = 0
  let closing = false

  async function work(): Promise<void> {
    while (!closing) {
      const number = asked++
      const site = sites[number % sites.length] as WatchedSite
      const name = number % 4 === 0 ? `Same ${number % 3}` : `Guest ${number}`
      const end = number % 5 === 0 && { validUntil: new Date(Date.now() + dayMs).toISOString() }
      const wanted = { siteId: site.id, name, idempotencyKey: `desk-${number}`, ...end }
      attempts.push(...(await createUntilDone(service, wanted)))
      done += 1
      await listV1(service, site.id)
      await pause(pauseMs)
    }
  }

  const working = Promise.all(Array.from({ length: count }, work))
  return {
    attempts,
    done: () => done,
    async close() {
      closing = true
      await working
    },
  }
}

/** Repeats the request until it is answered with a voucher. Returns all attempts. */
export async function createUntilDone(service: Service, wanted: Wanted): Promise<Attempt[]> {
  const attempts: Attempt[] = []
  for (;;) {
    const startedAt = Date.now()
    const answer = await create(service, wanted)
    const code = answer.status === 201 ? answer.json().code : undefined
    const outcome = answer.headers['voucher-outcome'] as string | undefined
    const { siteId, name } = wanted
    attempts.push({ siteId, name, status: answer.status, outcome, code, startedAt, endedAt: Date.now() })
    if (code) return attempts
    await pause(pauseMs)
  }
}

/** Sends one request. Requests with `validUntil` need API v2; about every third of the others also uses it. */
export function create({ url, key }: Service, wanted: Wanted): Promise<Answer> {
  const { siteId: site_id, name, idempotencyKey, validUntil } = wanted
  const isForV2 = validUntil !== undefined || /[147]$/.test(idempotencyKey)
  const end = validUntil !== undefined && { valid_until: validUntil }
  const body = JSON.stringify({ site_id, name, max_uses: 1, expire_minutes: 60, ...end })
  const headers = { 'x-api-key': key, 'idempotency-key': idempotencyKey }
  return call(url + (isForV2 ? '/api/v2/vouchers' : '/api/vouchers.php'), { method: 'POST', headers, body })
}

/** Creates a voucher every 100 ms without an Idempotency-Key, whether the earlier ones are answered or not. */
export function sendWithoutWaiting({ url, key }: Service, siteId: number): { stop(): Promise<void> } {
  const sent: Promise<unknown>[] = []
  const body = JSON.stringify({ site_id: siteId, name: 'Hasty', max_uses: 1, expire_minutes: 60 })
  const timer = setInterval(() => {
    sent.push(call(`${url}/api/vouchers.php`, { method: 'POST', headers: { 'x-api-key': key }, body }))
  }, 100)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.allSettled(sent)
    },
  }
}

/** The codes in the list of API v1; undefined when the request failed. */
export async function listV1({ url, key }: Service, siteId: number): Promise<string[] | undefined> {
  const answer = await call(`${url}/api/vouchers.php?site_id=${siteId}`, { headers: { 'x-api-key': key } })
  if (answer.status !== 200) return undefined
  return answer.json().vouchers.map(({ voucher_code: code }: { voucher_code: string }) => code)
}

/** The codes of all valid vouchers of a site. Reads all pages of API v2. */
export async function listValidV2({ url, key }: Service, siteId: number): Promise<string[]> {
  const codes: string[] = []
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams({
      site_id: String(siteId),
      status: 'valid',
      limit: '200',
      ...(cursor && { cursor }),
    })
    const answer = await call(`${url}/api/v2/vouchers?${query}`, { headers: { 'x-api-key': key } })
    const { vouchers, next_cursor } = answer.json() as { vouchers: { code: string }[]; next_cursor: string | null }
    codes.push(...vouchers.map(({ code }) => code))
    if (next_cursor === null) return codes
    cursor = next_cursor
  }
}

/** Creates a batch and returns the path where it can be read. */
export async function createBatch({ url, key }: Service, siteId: number, what: object): Promise<string> {
  const body = JSON.stringify({ site_id: siteId, expire_minutes: 60, ...what })
  const answer = await call(`${url}/api/v2/batches`, { method: 'POST', headers: { 'x-api-key': key }, body })
  if (answer.status !== 202) throw new Error(answer.text)
  return `/api/v2/batches/${answer.json().id}`
}

export async function readBatch({ url, key }: Service, path: string): Promise<{ state: string; made: number }> {
  return (await call(url + path, { headers: { 'x-api-key': key } })).json()
}
