type Turn = () => void

/** `firstInARow`: how many times in a row a slot was passed on to work that goes first. */
type Line = { running: number; first: Turn[]; others: Turn[]; firstInARow: number }

/** Work that goes first leaves at least every fifth slot to other work that waits. */
const maxFirstInARow = 4

/** A slot that was taken. If `waited` is true, it was not free at once, and data that was read before may have changed. */
type Slot = {
  waited: boolean
  /** Gives the slot back. Further calls do nothing. */
  release(): void
}

type TakeOptions = {
  /** The caller stops waiting and is rejected when this aborts. */
  signal?: AbortSignal | undefined
  /** This work is served before other work of the key, which still gets every fifth slot. */
  goesFirst?: boolean
}

export type Slots = {
  /** Takes a slot, which the caller must release. */
  take(key: string, options?: TakeOptions): Promise<Slot>
  /** Runs `work` in a slot. */
  run<T>(key: string, work: (waited: boolean) => Promise<T>, options?: TakeOptions): Promise<T>
  /** Waits until all work has ended. */
  drain(): Promise<void>
}

export type SlotOptions = {
  /** Slots per key. */
  atOnce: number
  /** Slots of all keys together. Without it, only the slots per key are limited. */
  inAll?: number
  /** How much work may wait per key. More work is rejected at once, so that waiting requests cannot fill the process. */
  maxWaiting: number
  maxWaitMs: number
  /** Creates the error for work that is rejected because too much is waiting, or that has waited too long. */
  rejection: () => Error
}

/**
 * Limits how much work of one key runs at once. More work of this key waits in a line, so it does not delay other keys. With
 * `inAll`, the keys that wait take turns.
 */
export function createSlots(options: SlotOptions): Slots {
  const { atOnce, inAll = Number.POSITIVE_INFINITY, maxWaiting, maxWaitMs, rejection } = options
  /** The lines with work. The one that got a slot last is at the end. */
  const lines = new Map<string, Line>()
  const unfinished = new Set<Promise<void>>()
  let running = 0

  function hasSlot(line: Line): boolean {
    return line.running < atOnce && running < inAll
  }

  function occupy(key: string, line: Line): void {
    line.running += 1
    running += 1
    lines.delete(key)
    lines.set(key, line)
  }

  function removeIfEmpty(key: string, line: Line): void {
    if (line.running + line.first.length + line.others.length === 0) lines.delete(key)
  }

  /** Waits for a slot of this key. Returns whether it had to wait. */
  async function wait(key: string, { signal, goesFirst = false }: TakeOptions): Promise<boolean> {
    const line = lines.get(key) ?? { running: 0, first: [], others: [], firstInARow: 0 }
    if (hasSlot(line)) {
      occupy(key, line)
      return false
    }
    if (line.first.length + line.others.length >= maxWaiting || signal?.aborted) throw rejection()
    lines.set(key, line)
    const waiting = goesFirst ? line.first : line.others
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const stopWaiting = () => {
      waiting.splice(waiting.indexOf(turn), 1)
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
    }
    const turn = () => {
      stopWaiting()
      occupy(key, line)
      resolve(true)
    }
    const giveUp = () => {
      stopWaiting()
      removeIfEmpty(key, line)
      reject(rejection())
    }
    const timer = setTimeout(giveUp, maxWaitMs)
    signal?.addEventListener('abort', giveUp)
    waiting.push(turn)
    return promise
  }

  /** Passes the slot on to the key that got its last slot the longest time ago. */
  function passOn(key: string): void {
    const line = lines.get(key) as Line
    line.running -= 1
    running -= 1
    removeIfEmpty(key, line)
    for (const next of lines.values()) {
      const turn = hasSlot(next) ? nextTurn(next) : undefined
      if (!turn) continue
      turn()
      return
    }
  }

  /** The longest waiting work that goes first, or every fifth time the longest waiting other work. */
  function nextTurn(line: Line): Turn | undefined {
    const { first, others } = line
    const isTurnOfOthers = first.length === 0 || (others.length > 0 && line.firstInARow >= maxFirstInARow)
    line.firstInARow = isTurnOfOthers ? 0 : line.firstInARow + 1
    return (isTurnOfOthers ? others : first)[0]
  }

  async function take(key: string, options: TakeOptions = {}): Promise<Slot> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const finish = () => {
      unfinished.delete(promise)
      resolve()
    }
    unfinished.add(promise)
    try {
      const waited = await wait(key, options)
      let isTaken = true
      return {
        waited,
        release() {
          if (!isTaken) return
          isTaken = false
          passOn(key)
          finish()
        },
      }
    } catch (error) {
      finish()
      throw error
    }
  }

  return {
    take,
    async run(key, work, options) {
      const { waited, release } = await take(key, options)
      try {
        return await work(waited)
      } finally {
        release()
      }
    },
    async drain() {
      await Promise.all(unfinished)
    },
  }
}

/** A call and how many callers made it. */
export type Gathered<Call> = { call: Call; callers: number }

/** The result of a call. `place` is the caller's position, by arrival, among the `callers` of the same call. It starts at 1. */
type Served<Result> = { result: Result; place: number; callers: number }

type Waiting<Call, Result> = Gathered<Call> & { served: PromiseWithResolvers<Result> }

const runsAtOnce = 2
const maxCallsPerRun = 100
/** A run that takes longer loses its place: its connection may be dead, and other calls must not wait for it. */
const slowRunMs = 500

/**
 * Combines calls: one run of `work` returns the results of many calls. Calls with the same key share one result. While two
 * runs are under way, new calls wait for the next run. So a run always starts after every call that it serves. If a run
 * fails, all its calls fail. One statement for many requests takes much less processor time than one for each.
 */
export function gatherCalls<Call, Result>(
  work: (calls: Gathered<Call>[]) => Promise<Result[]>,
): (key: string, call: Call) => Promise<Served<Result>> {
  const waiting = new Map<string, Waiting<Call, Result>>()
  let running = 0

  async function run(): Promise<void> {
    if (running >= runsAtOnce || waiting.size === 0) return
    const taken = [...waiting].slice(0, maxCallsPerRun)
    for (const [key] of taken) waiting.delete(key)
    const giveBackPlace = takePlace()
    try {
      const answer = work(taken.map(([, { call, callers }]) => ({ call, callers })))
      void run() // more calls may wait than one run takes
      const results = await answer
      for (const [i, [, { served }]] of taken.entries()) served.resolve(results[i] as Result)
    } catch (error) {
      for (const [, { served }] of taken) served.reject(error)
    } finally {
      giveBackPlace()
    }
  }

  /** Takes a place for a run. Returns a function that gives it back, which happens at the latest after `slowRunMs`. */
  function takePlace(): () => void {
    let isTaken = true
    running += 1
    const giveBack = () => {
      if (!isTaken) return
      isTaken = false
      clearTimeout(timer)
      running -= 1
      void run()
    }
    const timer = setTimeout(giveBack, slowRunMs)
    return giveBack
  }

  return async (key, call) => {
    let gathered = waiting.get(key)
    if (!gathered) {
      gathered = { call, callers: 0, served: Promise.withResolvers<Result>() }
      waiting.set(key, gathered)
      // Runs after all sockets that have data were read, so that the calls of those requests join this run.
      if (waiting.size === 1) setImmediate(() => void run())
    }
    gathered.callers += 1
    const place = gathered.callers
    const result = await gathered.served.promise
    return { result, place, callers: gathered.callers }
  }
}
