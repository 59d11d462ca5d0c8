import type { LookupAddress } from 'node:dns'
import { lookup as systemLookup } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'

export type Lookup = (hostname: string) => Promise<LookupAddress[]>

/**
 * The threads of a process, as many as UV_THREADPOOL_SIZE says. Node uses at most half of them for lookups, and a lookup whose name server does
 * not answer occupies one for 10 s or more. With Node's 4 threads, two such names stopped all other lookups, also of the database.
 */
export const threads = 64

/** Lookups at once. Of the 32 for which there are threads, 8 are left to PostgreSQL and Redis, which look up their names by themselves. */
const usualPlaces = { usual: 16, late: 8 }

/** A name whose lookup takes longer is late. Late names have places of their own, so that they do not delay others. */
const lateMs = 1_000
const mostNames = 10_000

/**
 * Looks up names. Callers that ask for the same name at the same time share one lookup. If no name server answers, or only late, the
 * addresses of the last answer are returned. If the first name server of a machine is down, the second one is asked only after 5 s.
 */
export function createLookup(ask: Lookup, places = usualPlaces): Lookup {
  const underWay = new Map<string, Promise<LookupAddress[]>>()
  const lastAnswers = new Map<string, LookupAddress[]>()
  const lateNames = new Map<string, true>()
  const slots = { usual: createPlaces(places.usual), late: createPlaces(places.late) }

  async function lookUp(hostname: string): Promise<LookupAddress[]> {
    const place = lateNames.has(hostname) ? slots.late : slots.usual
    await place.take()
    const startedAt = performance.now()
    const timer = setTimeout(() => remember(lateNames, hostname, true), lateMs)
    try {
      const addresses = await ask(hostname)
      remember(lastAnswers, hostname, addresses)
      return addresses
    } catch (error) {
      const last = lastAnswers.get(hostname)
      if (last && (error as NodeJS.ErrnoException).code === 'EAI_AGAIN') return last
      lastAnswers.delete(hostname) // the name does not exist any more
      throw error
    } finally {
      clearTimeout(timer)
      if (performance.now() - startedAt < lateMs) lateNames.delete(hostname)
      place.leave()
    }
  }

  function share(hostname: string): Promise<LookupAddress[]> {
    const lookup = underWay.get(hostname) ?? lookUp(hostname).finally(() => underWay.delete(hostname))
    underWay.set(hostname, lookup)
    return lookup
  }

  return (hostname) => {
    const lookup = share(hostname)
    const last = lastAnswers.get(hostname)
    return last ? withinTime(lookup, last) : lookup
  }
}

async function withinTime(lookup: Promise<LookupAddress[]>, last: LookupAddress[]): Promise<LookupAddress[]> {
  const inTime = new AbortController()
  lookup.catch(() => {}) // it may fail after the time is over
  const late = pause(lateMs, last, { signal: inTime.signal }).catch(() => last)
  return Promise.race([lookup, late]).finally(() => inTime.abort())
}

function createPlaces(free: number) {
  const waiting: (() => void)[] = []
  return {
    async take(): Promise<void> {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
    },
    leave(): void {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    },
  }
}

/** Forgets the name that was remembered first if there are too many. */
function remember<T>(names: Map<string, T>, hostname: string, value: T): void {
  names.delete(hostname)
  names.set(hostname, value)
  if (names.size > mostNames) names.delete(names.keys().next().value as string)
}

/** Looks up a name as this machine does, e.g. with `/etc/hosts`. There is one for the process, because its threads are shared. */
export const lookUpName = createLookup((hostname) => systemLookup(hostname, { all: true }))
