import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '#lib/random.ts'
import type { Attempt, ClientActivity, Stay } from './checker.ts'
import type { WorldOfClients } from './world.ts'

const timeoutMs = 25_000
/** A batch or a revocation that takes longer is stuck. */
const maxWaitMs = 180_000

type Answer = { status: number | 'unknown'; headers: Record<string, string | string[] | undefined>; text: string }

export type Clients = ClientActivity & {
  /** How many requests were answered with a voucher. */
  done(): number
  /** Lets every client finish the request that it has begun, and starts no new ones. */
  finish(): Promise<void>
}

/**
 * Starts clients that act like programs at a front desk. They repeat a request without a clear answer, with the same
 * Idempotency-Key, until they have a voucher.
 */
export function startClients(world: WorldOfClients, random: Random, clients: number): Clients {
  const history: Attempt[] = []
  const batches: string[] = []
  const stays: Stay[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const sites = world.controllers.flatMap((controller) => controller.sites.map(({ id }) => id))
  let ops = 0
  let done = 0
  let finishing = false
  let stopped = false

  async function send(path: string, key: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const { url } = random.pick(world.apis)
    return new Promise((resolve) => {
      const unknown = () => resolve({ status: 'unknown', headers: {}, text: '' })
      const call = request(
        `${url}/api${path}`,
        { method: body ? 'POST' : 'GET', agent, headers: { 'x-api-key': key, ...headers }, timeout: timeoutMs },
        (received) => {
          let text = ''
          received.on('data', (chunk) => (text += chunk))
          received.on('error', unknown)
          received.on('end', () => resolve({ status: received.statusCode ?? 0, headers: received.headers, text }))
        },
      )
      call.on('timeout', () => call.destroy())
      call.on('error', unknown)
      call.end(body && JSON.stringify(body))
    })
  }

  async function attempt(
    about: Pick<Attempt, 'op' | 'kind' | 'site' | 'name' | 'idempotencyKey'>,
    path: string,
    key: string,
    body?: object,
  ): Promise<{ entry: Attempt; answer: Answer }> {
    const startedAt = Date.now()
    const headers = about.idempotencyKey ? { 'idempotency-key': about.idempotencyKey } : undefined
    const answer = await send(path, key, body, headers)
    const code = answer.status === 201 ? JSON.parse(answer.text).code : undefined
    const entry = { ...about, startedAt, endedAt: Date.now(), status: answer.status, code }
    history.push(entry)
    return { entry, answer }
  }

  async function create(): Promise<void> {
    const op = ops++
    const site = random.pick(sites)
    const name = random.chance(0.3) ? `Same ${random.between(1, 3)}` : `Gast ${op}`
    const idempotencyKey = random.chance(0.9) ? `key-${op}` : undefined
    const body = { site_id: site, name, max_uses: 1, expire_minutes: 60 }
    for (;;) {
      const { entry, answer } = await attempt(
        { op, kind: 'create', site, name, idempotencyKey },
        '/vouchers.php',
        world.keys.write,
        body,
      )
      if (entry.status === 201) {
        done += 1
        if (random.chance(0.3)) await look(entry)
        return
      }
      // Without a key, a request that may have made a voucher must not be repeated.
      const mayRepeat =
        idempotencyKey !== undefined || answer.headers['voucher-outcome'] === 'none' || entry.status === 503
      if (!mayRepeat) return
      await pause(random.between(20, 300))
    }
  }

  async function look({ op, site, name, code }: Attempt): Promise<void> {
    const path = `/vouchers.php?site_id=${site}`
    const { entry, answer } = await attempt(
      { op, kind: 'list', site, name, idempotencyKey: undefined },
      path,
      world.keys.write,
    )
    entry.code = code
    entry.listed = answer.text.includes(`"voucher_code":"${code}"`)
  }

  /** Creates a batch, as for an event, and reads it until it has ended. */
  async function createBatch(): Promise<void> {
    const op = ops++
    const some = Array.from({ length: random.between(1, 4) }, (_, i) => `Event ${op} ${i}`)
    const what = random.chance(0.6) ? { name: `Event ${op}`, count: random.between(2, 60) } : { names: some }
    const body = { site_id: random.pick(sites), max_uses: 1, expire_minutes: 60, ...what }
    const ask = (path: string, asked?: object) =>
      send(`/v2/batches${path}`, world.keys.write, asked, { 'idempotency-key': `batch-${op}` })
    let answer = await ask('', body)
    for (; answer.status !== 202; answer = await ask('', body)) await pause(random.between(50, 300))
    const { id } = JSON.parse(answer.text)
    batches.push(id.slice(id.indexOf('-') + 1))
    const endsAt = Date.now() + maxWaitMs
    while (Date.now() < endsAt) {
      const { status, text } = await ask(`/${id}`)
      if (status === 200 && JSON.parse(text).state !== 'running') return
      await pause(200)
    }
  }

  /** A guest checks in and out again, whatever the outcome of the check-in. */
  async function stay(): Promise<void> {
    const op = ops++
    const entry: Stay = { op, site: random.pick(sites), name: `Stay ${op}`, revocation: undefined }
    const reference = `stay-${op}`
    const key = { 'idempotency-key': reference }
    const guest = { site_id: entry.site, name: entry.name, reference, expire_minutes: 60 }
    const { status } = await send('/v2/vouchers', world.keys.write, guest, key)
    await pause(status === 'unknown' ? 500 : random.between(0, 300)) // a request that was cut off may still arrive
    stays.push(entry)
    const revoke = () => send('/v2/revocations', world.keys.write, { filter: { reference } }, key)
    let answer = await revoke()
    for (; answer.status !== 202; answer = await revoke()) await pause(random.between(50, 300))
    entry.revocation = JSON.parse(answer.text).id
    const endsAt = Date.now() + maxWaitMs
    while (Date.now() < endsAt) {
      await pause(200)
      const { status: read, text } = await send(`/v2/revocations/${entry.revocation}`, world.keys.write)
      if (read === 200 && JSON.parse(text).state === 'done') return
    }
  }

  async function keepStaying(): Promise<void> {
    while (!finishing) await stay()
  }

  async function keepBatching(): Promise<void> {
    while (!finishing) {
      await createBatch()
      await pause(random.between(100, 2_000))
    }
  }

  async function keepCreating(): Promise<void> {
    while (!finishing) await create()
  }

  /** Sends requests that must be rejected: some with a read-only key, some for an unknown site. */
  async function misbehave(): Promise<void> {
    while (!stopped) {
      const op = ops++
      const site = random.pick(sites)
      const common = { op, site, idempotencyKey: undefined }
      const name = `Refused ${op}`
      await attempt({ ...common, kind: 'forbidden', name }, '/vouchers.php', world.keys.read, { site_id: site, name })
      await attempt({ ...common, kind: 'invalid', name }, '/vouchers.php', world.keys.write, { site_id: 999_999, name })
      await pause(200)
    }
  }

  async function exceedLimit(): Promise<void> {
    while (!stopped) {
      const common = { op: -1, kind: 'limited', site: 0, name: '', idempotencyKey: undefined } as const
      await Promise.all([1, 2, 3, 4].map(() => attempt(common, '/sites.php', world.keys.limited)))
      await pause(100)
    }
  }

  const creating = Promise.all([
    ...Array.from({ length: clients }, keepCreating),
    ...Array.from({ length: Math.ceil(clients / 4) }, keepStaying),
    keepBatching(),
    keepBatching(),
  ])
  const others = [misbehave(), exceedLimit()]
  return {
    history,
    batches,
    stays,
    done: () => done,
    async finish() {
      finishing = true
      await creating
      stopped = true
      await Promise.all(others)
      agent.destroy()
    },
  }
}
