import { parseArgs } from 'node:util'

export type Options = {
  /** Number of vouchers in the database. */
  vouchers: number
  rounds: number
  /** Measured seconds of each line in each round. */
  seconds: number
  /** Seconds of load before the first round of each line. V8 needs about ten to optimise the code of a request. */
  warmUpSeconds: number
  connections: number
  /** Only these groups; undefined means all that the size of the run includes. */
  groups: string[] | undefined
  isQuick: boolean
  json: boolean
  save: boolean
  keep: boolean
  /** An earlier commit to compare with. */
  against: string | undefined
  /** Vouchers of a second, smaller database to compare with. */
  beside: number | undefined
  /** Time that is added to each round trip between the service and PostgreSQL. */
  databaseDelayMs: number | undefined
  serverUrl: string
  redisUrl: string
  logLevel: string
  /** A folder for a processor profile of each api. */
  profile: string | undefined
}

export const usage = `npm run bench -- [options]

  --quick            100k vouchers, 3 rounds of 0.8 s, little warm-up, only the lists, the page and the 401: less than 90 s
  --size <n>         vouchers: 100k, 1m (default) or 10m; any number works
  --large            50m vouchers
  --rounds <n>       rounds (default 5)
  --seconds <n>      measured seconds of each line in each round (default 3)
  --warm-up <n>      seconds of load before the first round of a line that calls an api (default 10, with --quick 1)
  --connections <n>  connections of the load, also of pgbench (default 16)
  --only <group>     only this group; may be repeated
  --against <ref>    also measure an earlier commit of this repository
  --beside <size>    also measure this commit on a smaller database, e.g. 100k
  --database-delay <ms>
                     add this time to each round trip between the service and PostgreSQL
  --keep             keep the seeded database for the next run
  --json             end with one line of JSON that has the ratios
  --save             write the results to bench/results
  --server <url>     PostgreSQL where databases can be created (default postgres://postgres@127.0.0.1:5432/postgres)
  --redis <url>      Redis (default redis://127.0.0.1:6379)
  --profile <folder> write a processor profile of each api, which Chrome's developer tools open; it slows the run down
  --log-level <l>    LOG_LEVEL of the service (default info, as it is installed)
`

const quick = { size: '100k', rounds: '3', seconds: '0.8', warmUp: '1' }
const standard = { size: '1m', rounds: '5', seconds: '3', warmUp: '10' }

/** Reads the options of the command line. Throws an error with a message for the user. */
export function readOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      size: { type: 'string' },
      large: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      'warm-up': { type: 'string' },
      connections: { type: 'string', default: '16' },
      only: { type: 'string', multiple: true },
      against: { type: 'string' },
      beside: { type: 'string' },
      'database-delay': { type: 'string' },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
      server: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
      redis: { type: 'string', default: 'redis://127.0.0.1:6379' },
      profile: { type: 'string' },
      'log-level': { type: 'string', default: 'info' },
    },
  })
  if (values.help) return 'help'
  const fallback = values.quick ? quick : standard
  return {
    vouchers: readCount('--size', values.large ? '50m' : (values.size ?? fallback.size)),
    rounds: readCount('--rounds', values.rounds ?? fallback.rounds),
    seconds: readSeconds('--seconds', values.seconds ?? fallback.seconds),
    warmUpSeconds: readSeconds('--warm-up', values['warm-up'] ?? fallback.warmUp),
    connections: readCount('--connections', values.connections),
    groups: values.only,
    isQuick: values.quick,
    json: values.json,
    save: values.save,
    keep: values.keep,
    against: values.against,
    beside: values.beside === undefined ? undefined : readCount('--beside', values.beside),
    databaseDelayMs:
      values['database-delay'] === undefined ? undefined : readCount('--database-delay', values['database-delay']),
    serverUrl: values.server,
    redisUrl: values.redis,
    logLevel: values['log-level'],
    profile: values.profile,
  }
}

/** Reads a whole number such as 5, 100k or 1m. */
function readCount(option: string, text: string): number {
  const [, digits, unit = ''] = /^(\d+)([km]?)$/i.exec(text) ?? []
  const count = Number(digits) * ({ k: 1_000, m: 1_000_000 }[unit.toLowerCase()] ?? 1)
  if (!(count >= 1)) throw new Error(`${option} must be a whole number such as 5, 100k or 1m, not ${text}`)
  return count
}

function readSeconds(option: string, text: string): number {
  const seconds = Number(text)
  if (!(seconds > 0)) throw new Error(`${option} must be a number such as 3 or 0.5, not ${text}`)
  return seconds
}
