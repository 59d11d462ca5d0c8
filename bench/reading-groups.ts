import type { Running } from './contenders/processes.ts'
import type { Load } from './load/load.ts'
import { fillCaches, type Line, measureEngine, measureHttp } from './measure.ts'
import type { Options } from './options.ts'
import type { Group } from './rounds.ts'
import { listStatement, pageStatement } from './statements.ts'
import type { Service, World } from './world.ts'

type Work = Pick<Load, 'kind' | 'order'> & Partial<Load>

/** The workloads that are compared with the bare engine: lists, pages, and the rejection of a key. */
export function readingGroups(world: World, options: Options): Group[] {
  const { here, others, bare } = world
  const { connections, isQuick } = options
  const services = [here, ...others.map(({ service }) => service)]

  const engine = (
    statement: (site: string) => string,
    order: 'uniform' | 'skewed' = 'uniform',
    genericPlan = false,
  ) => ({
    name: genericPlan ? 'pgbench, generic plan' : 'pgbench',
    measure: (seconds: number) => measureEngine(here.database, { statement, order, genericPlan, connections, seconds }),
  })
  const http = (
    name: string,
    servers: Running[],
    { database }: Service,
    { fills, ...work }: Work & { fills?: boolean },
  ): Line => {
    const measure = (seconds: number) => measureHttp(world, { servers, database, connections, ...work }, seconds)
    const prepare = async () => {
      if (fills) await fillCaches(world, servers, database)
      await measure(options.warmUpSeconds)
    }
    return { name, measure, prepare }
  }
  /** A line for each build, store and number of processes. */
  const api = (
    work: Work & { fills?: boolean },
    stores: readonly ('redis' | 'postgres')[],
    processes: number[],
  ): Line[] =>
    services.flatMap((service) =>
      stores.flatMap((store) =>
        processes.map((count) => {
          const changes = work.changesIn === undefined ? {} : { changesIn: service.database.url }
          const servers = service[store].slice(0, count)
          return http(`${service.label}${store} × ${count}`, servers, service, { ...work, ...changes })
        }),
      ),
    )
  const both = ['redis', 'postgres'] as const
  const toOthers = (ratio: string, line: string): Group['ratios'] =>
    Object.fromEntries(others.map(({ service, name }) => [`${ratio}_to_${name}`, [line, service.label + line]]))
  const bareList = http('bare handler', [bare], here, { kind: 'bare list', order: 'uniform' })

  return [
    {
      name: 'list_unchanged',
      about: 'list of 200, unchanged since its last read',
      lines: [
        engine(listStatement),
        ...(isQuick ? [] : [engine(listStatement, 'uniform', true), bareList]),
        ...api({ kind: 'list', order: 'uniform', fills: true }, both, isQuick ? [2] : [1, 2]),
      ],
      ratios: {
        list_unchanged_redis: ['redis × 2', 'pgbench'],
        list_unchanged_postgres: ['postgres × 2', 'pgbench'],
        list_unchanged_redis_1: ['redis × 1', 'pgbench'],
        list_unchanged_postgres_1: ['postgres × 1', 'pgbench'],
        list_unchanged_redis_to_generic: ['redis × 2', 'pgbench, generic plan'],
        ...toOthers('list_unchanged_redis', 'redis × 2'),
        ...toOthers('list_unchanged_postgres', 'postgres × 2'),
      },
    },
    {
      name: 'list_changed',
      about: 'list of 200, changed since its last read',
      lines: [
        engine(listStatement),
        ...(isQuick ? [] : [engine(listStatement, 'uniform', true)]),
        bareList,
        ...api({ kind: 'list', order: 'in turn', changesIn: '' }, isQuick ? ['redis'] : both, [1, 2]),
      ],
      ratios: {
        list_changed: ['redis × 2', 'pgbench'],
        list_changed_1: ['redis × 1', 'pgbench'],
        list_changed_postgres: ['postgres × 2', 'pgbench'],
        list_changed_to_bare: ['redis × 1', 'bare handler'],
        list_changed_to_generic: ['redis × 2', 'pgbench, generic plan'],
        ...toOthers('list_changed', 'redis × 2'),
      },
    },
    {
      name: 'v2_page',
      about: 'API v2, page of 50 of one site',
      lines: [engine(pageStatement), ...api({ kind: 'page', order: 'uniform' }, ['redis'], isQuick ? [2] : [1, 2])],
      ratios: {
        v2_page: ['redis × 2', 'pgbench'],
        v2_page_1: ['redis × 1', 'pgbench'],
        ...toOthers('v2_page', 'redis × 2'),
      },
    },
    {
      name: 'unauthorized',
      about: '401 for a key with a wrong checksum',
      lines: [
        http('bare hello', [bare], here, { kind: 'hello', order: 'uniform' }),
        ...api({ kind: 'wrong key', order: 'uniform' }, ['redis'], [1]),
      ],
      ratios: {
        unauthorized_to_hello: ['redis × 1', 'bare hello'],
        ...toOthers('unauthorized', 'redis × 1'),
      },
    },
    {
      name: 'list_skewed',
      about: 'list of 200, unchanged, few sites get most requests',
      lines: [engine(listStatement, 'skewed'), ...api({ kind: 'list', order: 'skewed', fills: true }, both, [2])],
      ratios: {
        list_skewed_redis: ['redis × 2', 'pgbench'],
        list_skewed_postgres: ['postgres × 2', 'pgbench'],
        ...toOthers('list_skewed_redis', 'redis × 2'),
        ...toOthers('list_skewed_postgres', 'postgres × 2'),
      },
    },
  ]
}
