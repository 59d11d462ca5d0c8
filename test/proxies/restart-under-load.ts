import { Agent } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { call } from '#test/network/http-client.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { type Supervised, supervise } from '../faults/cluster.ts'
import { host, type RunningProxy } from './start-proxy.ts'

type Restarted = { requests: number; restarts: number; created: number; failures: string[] }

const clients = 16

/**
 * Restarts two apis behind a proxy in turn, each by SIGTERM, while clients send requests. Stops after this many requests and
 * restarts. A failure is a request without the expected answer, a voucher that was doubled or lost, or an exit code other than 0.
 */
export async function restartUnderLoad(
  startProxy: (apis: string[]) => Promise<RunningProxy>,
  least: { requests: number; restarts: number },
): Promise<Restarted> {
  const db = await createTestDatabase()
  const simulators = await Promise.all(range(4).map(() => startSimulator()))
  const sites = await Promise.all(simulators.map((simulator) => seedControlledSite(db, simulator)))
  const { key } = await seedKey(db, { scope: 'write' })
  // An empty DRAIN_SECONDS is the default.
  const env = { DATABASE_URL: db.url, DRAIN_SECONDS: '', TRUSTED_PROXIES: '127.0.0.1' }
  const apis = [await supervise('api 1', 'api', env), await supervise('api 2', 'api', env)]
  const { httpsPort, ca } = await startProxy(apis.map(({ url }) => url))
  const failures: string[] = []
  const created = new Map<string, string>()
  let [requests, restarts] = [0, 0]

  async function runClient(client: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, servername: host })
    for (let turn = 0; requests < least.requests || restarts < least.restarts; turn++) {
      const { method, path, expected, ...request } = requestOf(client, turn)
      const headers = { host, 'x-api-key': key, 'content-type': 'application/json', ...request.headers }
      const answer = await call(`https://127.0.0.1:${httpsPort}/api${path}`, {
        method,
        headers,
        agent,
        ...(request.body && { body: JSON.stringify(request.body) }),
      }).catch((error: Error) => ({ status: 0, text: error.message }))
      requests += 1
      if (answer.status !== expected) failures.push(`${method} ${path}: ${answer.status} ${summaryOf(answer.text)}`)
      else if (request.body) created.set(request.body.name, JSON.parse(answer.text).code)
    }
    agent.destroy()
  }

  /** Lists and creations of both APIs in turn. Half of the creations have an Idempotency-Key. */
  function requestOf(client: number, turn: number) {
    const site = sites[(client + turn) % sites.length] as number
    const name = `Client ${client} turn ${turn}`
    const body = { site_id: site, name, max_uses: 1, expire_minutes: 60 }
    const headers = { 'idempotency-key': `${client}-${turn}` }
    const kinds = [
      { method: 'GET', path: `/vouchers.php?site_id=${site}`, expected: 200 },
      { method: 'POST', path: '/vouchers.php', expected: 201, body },
      { method: 'POST', path: '/v2/vouchers', expected: 201, body, headers },
      { method: 'GET', path: `/v2/vouchers?site_id=${site}&limit=5`, expected: 200 },
      { method: 'POST', path: '/vouchers.php', expected: 201, body, headers },
      { method: 'POST', path: '/v2/vouchers', expected: 201, body },
    ]
    return kinds[turn % kinds.length] as {
      method: string
      path: string
      expected: number
      body?: typeof body
      headers?: typeof headers
    }
  }

  async function restartInTurn(): Promise<void> {
    while (requests < least.requests || restarts < least.restarts) {
      const api = apis[restarts % 2] as Supervised
      const exitCode = await api.restart()
      if (exitCode !== 0) failures.push(`${api.name} ended with exit code ${exitCode}`)
      await untilReady(api)
      restarts += 1
    }
  }

  await Promise.all([restartInTurn(), ...range(clients).map(runClient)])
  failures.push(...(await findWrongVouchers(db, simulators, created)))
  return { requests, restarts, created: created.size, failures }
}

async function untilReady({ url }: Supervised): Promise<void> {
  for (;;) {
    const answer = await call(`${url}/readyz`).catch(() => undefined)
    if (answer?.status === 200) return
    await pause(50)
  }
}

/** Compares the vouchers in the record and on the controllers with the answers that clients got. */
async function findWrongVouchers(
  db: Database,
  simulators: Simulator[],
  created: Map<string, string>,
): Promise<string[]> {
  const { rows } = await db.query<{ code: string }>('select code from vouchers')
  const onControllers = (await Promise.all(simulators.map((simulator) => simulator.vouchers()))).flat()
  const [answered, recorded, existing] = [created.values(), rows, onControllers].map((list) =>
    [...list]
      .map((one) => (typeof one === 'string' ? one : one.code))
      .toSorted()
      .join(' '),
  )
  return [
    ...(recorded === answered ? [] : [`${created.size} answers, but ${rows.length} vouchers in the record`]),
    ...(existing === answered
      ? []
      : [`${created.size} answers, but ${onControllers.length} vouchers on the controllers`]),
  ]
}

/** The title of an error page of nginx, or the beginning of any other text. */
function summaryOf(text: string): string {
  return /<title>(.*)<\/title>/.exec(text)?.[1] ?? text.slice(0, 200)
}
