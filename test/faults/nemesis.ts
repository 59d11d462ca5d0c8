import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@redis/client'
import type { Point } from '#lib/points.ts'
import type { Random } from '#lib/random.ts'
import type { Sink } from './sink.ts'
import type { Toxic } from './toxic-proxy.ts'
import type { World } from './world.ts'

/** The points at which an api is killed, and those at which a worker is killed. */
const apiPoints: Point[] = ['creation opened', 'in flight', 'after answer', 'before commit', 'after commit']
const workerPoints: Point[] = ['before ack', 'in flight', 'after answer', 'before commit', 'after commit']

type Fault = (world: World, random: Random) => Promise<void>

const createFaults = [
  'hang-before',
  'hang-after',
  'created-then-reset',
  'created-then-error',
  'truncated',
  'html-ok',
  'gateway-html',
  'gateway-timeout',
  'empty',
  'no-code',
  'server-error',
  'reset',
  'slow',
  'slow-drip',
]
const toxics: Toxic[] = [
  { kind: 'latency', ms: 150 },
  { kind: 'bandwidth', bytesPerSecond: 20_000 },
  { kind: 'slicer', bytes: 7 },
  { kind: 'limit', bytes: 3_000 },
  { kind: 'hang' },
  { kind: 'half-open' },
  { kind: 'down' },
]
const troubles: Sink['trouble'][] = [500, 429, 'hang', 'reset']

const faults = {
  'kill an api at a point': (world, random) => killAt(random.pick(world.apis), random.pick(apiPoints)),
  'kill another api at a point': (world, random) => killAt(random.pick(world.apis), random.pick(apiPoints)),
  'kill the worker at a point': (world, random) => killAt(world.worker, random.pick(workerPoints)),
  'kill the worker before a row update': ({ worker }) => killAt(worker, 'before row update'),
  'kill any process': async (world, random) => random.pick([...world.apis, world.worker]).kill(),
  'freeze a process': (world, random) => random.pick([...world.apis, world.worker]).freeze(random.between(500, 2_500)),
  'the clock of an api steps': async ({ apis }, random) => {
    const api = random.pick(apis)
    api.setClock(random.pick([7_200_000, -7_200_000]))
    await pause(random.between(500, 3_000))
    api.setClock(0)
  },
  'the clock of the worker is wrong': async ({ worker }, random) => worker.setClock(random.pick([90_000, 0, -90_000])),
  'another administrator makes the same': makeTheSame,
  'controller misbehaves': async ({ controllers }, random) => {
    const { simulator } = random.pick(controllers)
    const on = random.pick(['create', 'create', 'create', 'list', 'any'])
    await simulator.fault(random.pick(createFaults), { on, times: random.between(1, 3) })
  },
  'controller signs nobody in': async ({ controllers }, random) => {
    const { simulator } = random.pick(controllers)
    await simulator.fault('too-many', { on: 'login' })
    await simulator.behave({ expireSessions: true })
  },
  'controller forgets sessions': async ({ controllers }, random) =>
    random.pick(controllers).simulator.behave({ expireSessions: random.pick([true, 3]) }),
  'link to a controller': ({ controllers }, random) => poison(random.pick(controllers).proxy, random),
  'link to PostgreSQL': ({ links }, random) => poison(links.postgres, random, 800, toxics.filter(isNoticed)),
  'half-open link to PostgreSQL': async ({ links }, random) => {
    links.postgres.set({ kind: 'half-open' })
    await pause(random.between(200, 800))
    links.postgres.heal()
  },
  'link to Redis': ({ links }, random) => poison(links.redis, random),
  'link to the sink': ({ links }, random) => poison(links.sink, random),
  'Redis forgets': async ({ redis }) => {
    const client = createClient({ url: redis.url })
    client.on('error', () => {})
    await client.connect()
    await client.flushAll()
    client.destroy()
  },
  'Redis freezes': async ({ redis }, random) => {
    redis.signal('SIGSTOP')
    await pause(random.between(300, 1_500))
    redis.signal('SIGCONT')
  },
  'PostgreSQL restarts': ({ postgres }) => postgres.restart(),
  'sink in trouble': async ({ sink }, random) => {
    sink.trouble = random.pick(troubles)
    await pause(random.between(500, 2_000))
    sink.trouble = undefined
  },
} satisfies Record<string, Fault>

export type FaultName = keyof typeof faults

/** The service pauses after these faults, as it should. The wait between two of them lets other faults take effect. */
const restSeconds: Partial<Record<FaultName, number>> = {
  'controller signs nobody in': 150,
  'controller forgets sessions': 25,
  'PostgreSQL restarts': 15,
  'half-open link to PostgreSQL': 25,
}

/** Faults after which the limiter may accept more requests than the limit. */
const losesCounts: FaultName[] = [
  'Redis forgets',
  'Redis freezes',
  'link to Redis',
  'PostgreSQL restarts',
  'link to PostgreSQL',
  'half-open link to PostgreSQL',
]

export type Nemesis = { stop(): Promise<void>; done: Map<string, number>; storeLosses(): number }

/** Causes two faults at a time, in an order that depends on the seed. `stop` ends this and heals everything. */
export function startNemesis(
  world: World,
  random: Random,
  options: { maxPauseMs: number; keepCounts?: boolean; onlyFaults?: FaultName[] },
): Nemesis {
  const { onlyFaults = Object.keys(faults) as FaultName[] } = options
  const names = onlyFaults.filter((name) => !options.keepCounts || !losesCounts.includes(name))
  const done = new Map<string, number>()
  const notBefore = new Map<string, number>(
    Object.entries(restSeconds).map(([name, seconds]) => [name, Date.now() + seconds * 200]),
  )
  let stopped = false
  async function strike(): Promise<void> {
    while (!stopped) {
      const name = random.pick(names)
      if (Date.now() < (notBefore.get(name) ?? 0)) continue
      notBefore.set(name, Date.now() + (restSeconds[name] ?? 0) * 1_000)
      done.set(name, (done.get(name) ?? 0) + 1)
      await faults[name](world, random).catch(() => {}) // the target may be down
      await pause(random.between(100, options.maxPauseMs))
    }
  }
  const running = Promise.all([strike(), strike()])
  return {
    done,
    storeLosses: () => losesCounts.reduce((sum, name) => sum + (done.get(name) ?? 0), 0),
    async stop() {
      stopped = true
      await running
      await heal(world)
    },
  }
}

async function heal({ controllers, links, sink, redis }: World): Promise<void> {
  redis.signal('SIGCONT')
  sink.trouble = undefined
  for (const link of Object.values(links)) link.heal()
  for (const { proxy, simulator } of controllers) {
    proxy.heal()
    await simulator.forgetFaults()
  }
}

/**
 * Makes vouchers of the same name and limits as ours, as another administrator. If the controller does not show who made a
 * voucher and its name has no tag, nobody can distinguish such a voucher from ours while ours is being looked up. On these
 * sites, only names of creations that were given up are used.
 */
async function makeTheSame({ db, controllers }: World, random: Random): Promise<void> {
  const { simulator, sites } = random.pick(controllers)
  const { id, reference, tellsWhoMade } = random.pick(sites)
  const { rows } = await db.query<{ name: string }>(
    `select controller_name as name from creations
      where site_id = $1 and ($2 or (state = 'absent' and settled_at < now() - interval '15 seconds'))
        and not exists (select from creations twin
                         where not $2 and twin.site_id = $1 and twin.controller_name = creations.controller_name and twin.settled_at is null)
      order by sent_at desc limit 50`,
    [id, tellsWhoMade],
  )
  if (rows.length === 0) return
  const { name } = random.pick(rows)
  const count = random.between(1, 3)
  const equal = { internalReference: reference, name, timeLimitMinutes: 60, authorizedGuestLimit: 1, count }
  await simulator.addVoucher(equal)
}

async function killAt(process: World['worker'], point: Point): Promise<void> {
  const before = process.kills
  process.dieAt(point)
  for (let i = 0; i < 40 && process.kills === before; i++) await pause(50)
}

/** A half-open connection is noticed only by a time-out, after several seconds. */
function isNoticed({ kind }: Toxic): boolean {
  return kind !== 'half-open'
}

async function poison(
  link: World['links']['sink'],
  random: Random,
  maxMs = 3_000,
  choice: Toxic[] = toxics,
): Promise<void> {
  if (random.chance(0.3)) return link.reset()
  link.set(random.pick(choice))
  await pause(random.between(200, maxMs))
  link.heal()
}
