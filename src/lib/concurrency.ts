type Line = { running: number; waiting: (() => void)[] }

export type Slots = {
  /** Runs `work`. If `waited` is true, `work` had to wait, and data that was read before may have changed. */
  run<T>(key: string, work: (waited: boolean) => Promise<T>): Promise<T>
  /** Waits until all work has ended. */
  drain(): Promise<void>
}

export type SlotOptions = {
  atOnce: number
  /** How much work may wait per key. More work is rejected at once, so that waiting requests cannot fill the process. */
  maxWaiting: number
  maxWaitMs: number
  /** Creates the error for work that is rejected because too much is waiting, or that has waited too long. */
  rejection: () => Error
}

/** Limits how much work of one key runs at once. More work of this key waits in a line, so it does not delay other keys. */
export function createSlots({ atOnce, maxWaiting, maxWaitMs, rejection }: SlotOptions): Slots {
  const lines = new Map<string, Line>()
  const running = new Set<Promise<unknown>>()

  async function take(line: Line): Promise<boolean> {
    if (line.running < atOnce) {
      line.running += 1
      return false
    }
    if (line.waiting.length >= maxWaiting) throw rejection()
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const turn = () => {
      clearTimeout(timer)
      resolve(true)
    }
    const timer = setTimeout(() => {
      line.waiting.splice(line.waiting.indexOf(turn), 1)
      reject(rejection())
    }, maxWaitMs)
    line.waiting.push(turn)
    return promise
  }

  /** Passes the slot on to the work that has waited longest. */
  function release(key: string, line: Line): void {
    const next = line.waiting.shift()
    if (next) next()
    else line.running -= 1
    if (line.running === 0) lines.delete(key)
  }

  async function takeAndRun<T>(key: string, work: (waited: boolean) => Promise<T>): Promise<T> {
    const line = lines.get(key) ?? { running: 0, waiting: [] }
    lines.set(key, line)
    const waited = await take(line)
    try {
      return await work(waited)
    } finally {
      release(key, line)
    }
  }

  return {
    run(key, work) {
      const run = takeAndRun(key, work)
      running.add(run)
      run.catch(() => {}).finally(() => running.delete(run))
      return run
    },
    async drain() {
      await Promise.allSettled(running)
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
