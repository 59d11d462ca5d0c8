import { setTimeout as pause } from 'node:timers/promises'
import { startGenerator } from './load/load.ts'
import { fillCaches, type Line, type Measured, measureHttp } from './measure.ts'
import type { Options } from './options.ts'
import type { Group } from './rounds.ts'
import { controllerCount } from './seed.ts'
import type { Service, World } from './world.ts'

const creationsPerSecond = 50
/** Enough for 50 creations a second on controllers that take a second each, with a reserve. */
const creationConnections = 128
/** In less time there would be too few creations for a reliable p99. */
const minSeconds = 4

/** The workloads that create vouchers. They use only the first sites, each of which has its own controller. */
export function creatingGroups(world: World, { connections, warmUpSeconds }: Options): Group[] {
  const { here, others } = world
  const services = [here, ...others.map(({ service }) => service)]

  const lines = (delayMs: number, measure: (service: Service, seconds: number) => Promise<Measured>): Line[] =>
    services.map((service) => ({
      name: `${service.label}redis × 2`,
      prepare: async () => {
        await delayCreations(world, 0)
        await createBusily(world, service, { connections, seconds: warmUpSeconds })
        await delayCreations(world, delayMs)
      },
      measure: (seconds) => measure(service, Math.max(seconds, minSeconds)),
    }))
  const toOthers = (ratio: string): Group['ratios'] =>
    Object.fromEntries(
      others.map(({ service, name }) => [`${ratio}_to_${name}`, ['redis × 2', `${service.label}redis × 2`]]),
    )
  const atRate = (delayMs: number): Group => ({
    name: `create_${delayMs}ms`,
    about: `${creationsPerSecond} creations a second, on ${controllerCount} controllers of ${delayMs} ms`,
    lines: lines(delayMs, ({ redis: servers, database }, seconds) =>
      measureHttp(
        world,
        {
          ...{ servers, database, kind: 'create', order: 'in turn', sites: sitesOf(database.sites) },
          ...{ connections: creationConnections, ratePerSecond: creationsPerSecond, warmUpMs: delayMs + 1_000 },
        },
        seconds,
      ),
    ),
    ratios: {},
    figures: {
      [`create_${delayMs}ms_p50_above_controller_ms`]: ['redis × 2', ({ p50Ms }) => (p50Ms ?? 0) - delayMs],
      [`create_${delayMs}ms_p99_above_controller_ms`]: ['redis × 2', ({ p99Ms }) => (p99Ms ?? 0) - delayMs],
    },
  })

  return [
    atRate(0),
    atRate(50),
    atRate(1_000),
    {
      name: 'create_busy',
      about: `as many creations as possible, on ${controllerCount} controllers of 0 ms`,
      lines: lines(0, (service, seconds) => createBusily(world, service, { connections, seconds })),
      ratios: toOthers('create_busy'),
    },
    {
      name: 'list_and_create',
      about: `list of 200; one request in 20 creates a voucher on one of the same ${controllerCount} sites`,
      lines: lines(0, ({ redis: servers, database }, seconds) => {
        const sites = sitesOf(database.sites)
        const work = { kind: 'list', order: 'uniform', sites, connections, createEvery: 20 } as const
        return measureHttp(world, { servers, database, ...work }, seconds)
      }),
      ratios: toOthers('list_and_create'),
    },
    besideCreations(world, { connections, warmUpSeconds }),
  ]
}

const creationsInFlight = 200

/** Creations that wait for slow controllers must not slow down lists, for example by holding database connections. */
function besideCreations(
  world: World,
  { connections, warmUpSeconds }: Pick<Options, 'connections' | 'warmUpSeconds'>,
): Group {
  const { redis: servers, database } = world.here
  const work = { servers, database, kind: 'list', order: 'uniform', connections } as const
  const alone = (seconds: number) => measureHttp(world, work, Math.max(seconds, minSeconds))
  async function warmUp(): Promise<void> {
    await delayCreations(world, 0)
    await createBusily(world, world.here, { connections, seconds: warmUpSeconds })
    await fillCaches(world, servers, database)
    await alone(warmUpSeconds)
  }
  async function beside(seconds: number): Promise<Measured> {
    const creator = startGenerator()
    const urls = servers.map(({ url }) => url)
    const creations = creator.run({
      ...{ urls, connections: creationsInFlight, kind: 'create', keys: database.keys, order: 'in turn' },
      ...{ sites: sitesOf(database.sites), warmUpMs: 0, seconds: Math.max(seconds, minSeconds) + 3 },
    })
    await pause(2_000)
    const lists = await alone(seconds)
    await creations
    creator.stop()
    return lists
  }
  return {
    name: 'list_beside_create',
    about: `list of 200, beside ${creationsInFlight} creations that are always in flight on ${controllerCount} controllers of 1,000 ms`,
    lines: [
      { name: 'alone', prepare: warmUp, measure: alone },
      { name: 'beside creations', prepare: () => delayCreations(world, 1_000), measure: beside },
    ],
    ratios: { list_beside_create: ['beside creations', 'alone'] },
  }
}

/** Creates as many vouchers as possible. */
function createBusily(
  world: World,
  { redis: servers, database }: Service,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Measured> {
  const work = { kind: 'create', order: 'in turn', sites: sitesOf(database.sites), connections } as const
  return measureHttp(world, { servers, database, ...work }, seconds)
}

function sitesOf(sites: number): number {
  return Math.min(sites, controllerCount)
}

/** Makes the controller answer each creation after this time. */
export async function delayCreations({ controller }: World, delayMs: number): Promise<void> {
  for (const log of ['faults', 'requests']) await fetch(`${controller.url}/control/${log}`, { method: 'DELETE' })
  if (delayMs === 0) return
  const fault = { on: 'create', kind: 'slow', times: 1_000_000, delayMs }
  const answer = await fetch(`${controller.url}/control/faults`, { method: 'POST', body: JSON.stringify(fault) })
  if (!answer.ok) throw new Error(await answer.text())
}
