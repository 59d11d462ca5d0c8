import { setTimeout as pause } from 'node:timers/promises'
import { size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'

/** The addresses, keys and sites that the clients use. */
export type LoadTarget = {
  url: string
  sites: number[]
  keys: { write: string; manage: string }
  /** The token of a person who may see the overview. */
  session: string
  /** A receiver for webhooks that are added and removed all the time. */
  receiver: string
}

type Created = { idempotencyKey: string; siteId: number; code: string }

export type Load = {
  /** Requests without the expected answer, one sentence each. */
  failures: string[]
  created: Created[]
  batches: string[]
  revocations: string[]
  requests(): number
  /** Waits until `count` more requests were answered. */
  more(count: number): Promise<void>
  /** Lets every client finish what it has begun. */
  stop(): Promise<void>
}

type Request = { key?: string; body?: object; idempotencyKey?: string; expected: number; method?: string }

/** A batch or a revocation that takes longer is stuck. */
const maxWaitMs = 120_000
/** Most of the requests are sent while processes start. */
const pauseMs = size(400, 100)
/** A revocation of this many vouchers is large: a small one has at most 50. */
const largeBatch = 51

/** Starts clients of all kinds. They never repeat a request that fails: each failure counts. */
export function startLoad(target: LoadTarget): Load {
  const load = {
    failures: [] as string[],
    created: [] as Created[],
    batches: [] as string[],
    revocations: [] as string[],
  }
  let sent = 0
  let answered = 0
  let isStopping = false

  async function send(path: string, { key, body, idempotencyKey, expected, method }: Request): Promise<any> {
    const headers = {
      ...(key === undefined ? { cookie: `voucher-session=${target.session}` } : { 'x-api-key': key }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(body && { 'content-type': 'application/json' }),
    }
    const options = { method: method ?? (body ? 'POST' : 'GET'), headers, ...(body && { body: JSON.stringify(body) }) }
    const { status, text } = await call(`${target.url}/api${path}`, options).catch((error: Error) => ({
      status: 0,
      text: error.message,
    }))
    answered += 1
    if (status !== expected) load.failures.push(`${options.method} ${path}: ${status} ${text.slice(0, 300)}`)
    return status === expected && text.startsWith('{') ? JSON.parse(text) : text
  }

  const write = (path: string, body: object, expected: number, idempotencyKey = `key-${++sent}`) =>
    send(path, { key: target.keys.write, body, expected, idempotencyKey })
  const read = (path: string) => send(path, { key: target.keys.write, expected: 200 })
  const siteOf = (turn: number) => target.sites[turn % target.sites.length] as number

  /** Creates with API v1, sends some of the requests twice at the same time, and reads the list. */
  async function deskV1(turn: number): Promise<void> {
    const siteId = siteOf(turn)
    const idempotencyKey = `v1-${turn}`
    const body = { site_id: siteId, name: `Desk ${turn}`, max_uses: 1, expire_minutes: 60 }
    const first = await write('/vouchers.php', body, 201, idempotencyKey)
    const again = turn % 3 === 0 ? [await write('/vouchers.php', body, 201, idempotencyKey)] : []
    for (const { code } of [first, ...again]) if (code) load.created.push({ idempotencyKey, siteId, code })
    const list = JSON.stringify(await read(`/vouchers.php?site_id=${siteId}`))
    if (first.code && !list.includes(first.code))
      load.failures.push(`${first.code} is missing in the list after its 201`)
  }

  /** Creates with API v2, reads the list, and revokes every second voucher. */
  async function stay(turn: number): Promise<void> {
    const siteId = siteOf(turn)
    const reference = `stay-${turn}`
    const body = { site_id: siteId, name: `Stay ${turn}`, reference, expire_minutes: 60 }
    const { code } = await write('/v2/vouchers', body, 201, reference)
    if (code) load.created.push({ idempotencyKey: reference, siteId, code })
    await read(`/v2/vouchers?site_id=${siteId}&limit=20`)
    if (turn % 2 === 0) await revoke({ reference })
  }

  /** Creates a batch. Every third one is large and is revoked. */
  async function event(turn: number): Promise<void> {
    const isLarge = turn % 3 === 0
    const body = { site_id: siteOf(turn), name: `Event ${turn}`, count: isLarge ? largeBatch : 3, expire_minutes: 60 }
    const { id } = await write('/v2/batches', body, 202)
    if (!id) return
    load.batches.push(id)
    await untilDone(`/v2/batches/${id}`)
    if (isLarge) await revoke({ batch_id: id })
  }

  async function revoke(filter: object): Promise<void> {
    const { id } = await write('/v2/revocations', { filter }, 202)
    if (!id) return
    load.revocations.push(id)
    await untilDone(`/v2/revocations/${id}`)
  }

  async function untilDone(path: string): Promise<void> {
    const endsAt = Date.now() + maxWaitMs
    for (let state = 'running'; state === 'running'; ) {
      if (Date.now() > endsAt) return void load.failures.push(`${path} is still running after ${maxWaitMs / 1_000} s`)
      await pause(size(400, 200))
      ;({ state } = await read(path))
    }
  }

  /** Adds a webhook, changes it, reads the list and the log, and removes it. */
  async function administer(turn: number): Promise<void> {
    const key = target.keys.manage
    const body = { name: `Hook ${turn}`, url: target.receiver, events: ['voucher.created'] }
    const { id } = await send('/v2/webhooks', { key, body, expected: 201 })
    if (!id) return
    await pause(300) // some events are sent to it
    const change = turn % 2 === 0 ? { site_ids: [siteOf(turn)] } : { events: ['voucher.created', 'voucher.revoked'] }
    await send(`/v2/webhooks/${id}`, { key, body: change, expected: 200, method: 'PATCH' })
    await send('/v2/webhooks', { key, expected: 200 })
    await send(`/v2/webhooks/${id}/deliveries`, { key, expected: 200 })
    await send(`/v2/webhooks/${id}`, { key, expected: 204, method: 'DELETE' })
    await send('/v2/webhooks', { key, expected: 200 })
  }

  async function report(turn: number): Promise<void> {
    await send('/v2/overview', { expected: 200 })
    await read(`/v2/vouchers.csv?site_id=${siteOf(turn)}`)
    await read('/v2/revocations')
    await pause(200)
  }

  async function repeat(work: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; !isStopping; turn++) {
      await work(turn).catch((error: Error) => load.failures.push(`${work.name}: ${error.stack}`))
      await pause(pauseMs)
    }
  }

  const clients = Promise.all([deskV1, stay, event, administer, report].map(repeat))
  return {
    ...load,
    requests: () => answered,
    async more(count) {
      const until = answered + count
      while (answered < until) await pause(20)
    },
    async stop() {
      isStopping = true
      await clients
    },
  }
}
