import { setTimeout as pause } from 'node:timers/promises'
import type { DatabaseHost } from '#lib/database-address.ts'
import type { ServerRole } from './primary.queries.ts'

/** Finds which of several hosts accepts writes. All connections of a process to the same address share one finder. */
export type PrimaryFinder = {
  /** The host that accepted writes when somebody last looked. Looks for it if no connection is open, or if it was doubted since. */
  find(): Promise<DatabaseHost>
  /** Throws if the server of a new connection is not the primary, or was replaced by another one. */
  confirm(at: DatabaseHost, role: ServerRole): void
  /** Says that a connection to this host failed. If it is the primary, it is looked for again until a host accepts writes. */
  doubt(at: DatabaseHost): void
  /** `close` is called when another host is the primary. Returns a function that ends this. */
  watch(at: DatabaseHost, close: () => void): () => void
}

/** No host accepts writes now, e.g. during a failover. */
export class NoPrimary extends Error {
  override name = 'NoPrimary'
}

type FinderOptions = {
  hosts: readonly DatabaseHost[]
  /** Opens a connection to this host, asks it for its role and closes the connection. Rejects if there is no answer in time. */
  ask: (at: DatabaseHost) => Promise<ServerRole>
  pauseMs?: number
}

/**
 * How long a search waits for the other hosts after one has said that it is the primary. An old primary that was replaced, and
 * does not know it yet, may be the first to answer. The one with the higher timeline is the right one. A process that has seen no
 * timeline yet cannot recognise an old primary by itself, so it waits as long as a slow host may take.
 */
const waitForOthersMs = { atFirst: 3_000, later: 200 }

export function createPrimaryFinder({ hosts, ask, pauseMs = 500 }: FinderOptions): PrimaryFinder {
  const connections = new Set<{ at: DatabaseHost; close: () => void }>()
  let primary: DatabaseHost | undefined
  /** The highest timeline seen. A server with a lower one was replaced. Eight hexadecimal digits, so texts compare like numbers. */
  let newest = ''
  let searching: Promise<DatabaseHost> | undefined
  let isWatching = false

  function find(): Promise<DatabaseHost> {
    if (primary) return Promise.resolve(primary)
    searching ??= search().finally(() => {
      searching = undefined
    })
    return searching
  }

  /**
   * Asks all hosts at once, because some may be silent. While a host is silent, those that have answered are asked again: one of
   * them may be promoted in this time.
   */
  async function search(): Promise<DatabaseHost> {
    const answers = new Map<DatabaseHost, ServerRole | Error>()
    const { promise: found, resolve: noteFound } = Promise.withResolvers<void>()
    let isOver = false
    const askRepeatedly = async (at: DatabaseHost) => {
      for (;;) {
        const answer = await ask(at).catch((error: Error) => error)
        if (isOver) return
        answers.set(at, answer)
        if (whyNotPrimary(answer) === undefined) return noteFound()
        if (answers.size === hosts.length) return
        await pause(pauseMs)
        if (isOver || answers.size === hosts.length) return
      }
    }
    const all = Promise.all(hosts.map(askRepeatedly))
    await Promise.race([found, all])
    await Promise.race([all, pause(newest === '' ? waitForOthersMs.atFirst : waitForOthersMs.later)])
    isOver = true
    return choose(answers)
  }

  function choose(answers: Map<DatabaseHost, ServerRole | Error>): DatabaseHost {
    const [best] = hosts
      .flatMap((at) => {
        const answer = answers.get(at)
        return answer && whyNotPrimary(answer) === undefined ? [{ at, timeline: timelineOf(answer) }] : []
      })
      .toSorted((a, b) => (a.timeline === b.timeline ? 0 : a.timeline < b.timeline ? 1 : -1))
    if (!best) throw describeSearch(answers)
    primary = best.at
    newest = best.timeline
    for (const { at, close } of connections) if (at !== primary) close()
    return primary
  }

  function describeSearch(answers: Map<DatabaseHost, ServerRole | Error>): Error {
    const errors = [...answers.values()].filter((answer) => answer instanceof Error)
    const needsHelp = errors.find((error) => !isOutage(error))
    if (needsHelp && errors.length === answers.size) return needsHelp // e.g. a wrong password
    const reasons = [...answers].map(([at, answer]) => `${at.host}:${at.port} ${whyNotPrimary(answer)}`)
    return new NoPrimary(`No host accepts writes: ${reasons.join(', ')}`)
  }

  function whyNotPrimary(answer: ServerRole | Error): string | undefined {
    if (answer instanceof Error) return `does not answer (${codeOf(answer) ?? answer.message})`
    if (answer.isInRecovery) return 'is a standby'
    if (answer.isReadOnly) return 'is read-only'
    return timelineOf(answer) < newest ? 'was replaced by another primary' : undefined
  }

  /** Looks for the primary as long as connections are open, so that idle ones to a replaced server are closed too. */
  async function watchUntilFound(): Promise<void> {
    isWatching = true
    while (primary === undefined && connections.size > 0) {
      await find().catch(() => {})
      if (primary === undefined) await pause(2 * pauseMs, undefined, { ref: false })
    }
    isWatching = false
  }

  return {
    find,
    confirm(at, role) {
      const reason = whyNotPrimary(role)
      if (reason !== undefined) throw new NoPrimary(`${at.host}:${at.port} ${reason}`)
      newest = timelineOf(role)
    },
    doubt(at) {
      if (at !== primary) return
      primary = undefined
      if (!isWatching) void watchUntilFound()
    },
    watch(at, close) {
      const connection = { at, close }
      if (primary !== undefined && at !== primary) close()
      else connections.add(connection)
      return () => {
        connections.delete(connection)
        if (connections.size === 0) primary = undefined // nothing would say that it has changed
      }
    },
  }
}

function timelineOf(answer: ServerRole | Error): string {
  return (!(answer instanceof Error) && answer.timeline) || ''
}

function codeOf(error: Error): string | undefined {
  const [first = error] = error instanceof AggregateError ? error.errors : []
  return (first as NodeJS.ErrnoException).code
}

/** True if a server is down, starts or ends. Other errors do not pass by themselves. */
function isOutage(error: Error): boolean {
  return /^(E(?!RR_)[A-Z_]{3,}|57P0.)$/.test(codeOf(error) ?? 'ETIMEDOUT')
}
