import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from 'redis'
import { apiPoints, workerPoints } from './patches.ts'
import type { Random } from './random.ts'
import type { Sink } from './sink.ts'
import type { Toxic } from './toxic-proxy.ts'
import type { World } from './world.ts'

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
  { kind: 'down' },
]
const troubles: Sink['trouble'][] = [500, 429, 'hang', 'reset']

const faults: Record<string, Fault> = {
  'kill an api at a point': (world, random) => killAt(random.pick(world.apis), random.pick(apiPoints)),
  'kill another api at a point': (world, random) => killAt(random.pick(world.apis), random.pick(apiPoints)),
  'kill the worker at a point': (world, random) => killAt(world.worker, random.pick(workerPoints)),
  'kill any process': async (world, random) => random.pick([...world.apis, world.worker]).kill(),
  'freeze a process': (world, random) => random.pick([...world.apis, world.worker]).freeze(random.between(500, 2_500)),
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
  'link to PostgreSQL': ({ links }, random) => poison(links.postgres, random, 800),
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
}

/** After these the service itself keeps still for a while, as it should; more often, and nothing else would be seen. */
const restSeconds: Record<string, number> = {
  'controller signs nobody in': 150,
  'controller forgets sessions': 25,
  'PostgreSQL restarts': 15,
}

/** Those after which the limiter may begin anew. */
const losesCounts = ['Redis forgets', 'Redis freezes', 'link to Redis', 'PostgreSQL restarts', 'link to PostgreSQL']

export type Nemesis = { stop(): Promise<void>; done: Map<string, number>; storeLosses(): number }

/** Two faults at a time, seeded, until it is stopped; then everything is healed. */
export function startNemesis(
  world: World,
  random: Random,
  options: { maxPauseMs: number; keepCounts?: boolean },
): Nemesis {
  const names = Object.keys(faults).filter((name) => !options.keepCounts || !losesCounts.includes(name))
  const done = new Map<string, number>()
  const notBefore = new Map(Object.entries(restSeconds).map(([name, seconds]) => [name, Date.now() + seconds * 200]))
  let stopped = false
  async function strike(): Promise<void> {
    while (!stopped) {
      const name = random.pick(names)
      if (Date.now() < (notBefore.get(name) ?? 0)) continue
      notBefore.set(name, Date.now() + (restSeconds[name] ?? 0) * 1_000)
      done.set(name, (done.get(name) ?? 0) + 1)
      await faults[name]?.(world, random).catch(() => {}) // its target may just be down
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

async function killAt(process: World['worker'], point: (typeof apiPoints)[number]): Promise<void> {
  const before = process.kills
  process.dieAt(point)
  for (let i = 0; i < 40 && process.kills === before; i++) await pause(50)
}

async function poison(link: World['links']['sink'], random: Random, maxMs = 3_000): Promise<void> {
  if (random.chance(0.3)) return link.reset()
  link.set(random.pick(toxics))
  await pause(random.between(200, maxMs))
  link.heal()
}
