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

/** The result of the run that served a caller, and the caller's place (1 to `callers`) in that run, by arrival. */
type Served<Result> = { result: Result; place: number; callers: number }

type Run<Result> = { started: boolean; callers: number; result: Promise<Result> }

type Work<Result> = (callers: number) => Promise<Result>

/**
 * Serves concurrent calls with the same key by one run of `work`. At most one run per key is under way. A call that
 * arrives during a run waits for the next one, so a run always starts after every call that it serves.
 */
export function gatherCalls<Result>(): (key: string, work: Work<Result>) => Promise<Served<Result>> {
  const latestRuns = new Map<string, Run<Result>>()

  return async (key, work) => {
    let run = latestRuns.get(key)
    if (!run || run.started) {
      run = planRun(key, work, run)
      latestRuns.set(key, run)
    }
    run.callers += 1
    const place = run.callers
    const result = await run.result
    return { result, place, callers: run.callers }
  }

  function planRun(key: string, work: Work<Result>, previous: Run<Result> | undefined): Run<Result> {
    const previousEnd = previous ? previous.result.catch(() => {}) : Promise.resolve()
    const run: Run<Result> = {
      started: false,
      callers: 0,
      result: previousEnd
        .then(() => {
          run.started = true
          return work(run.callers)
        })
        .finally(() => {
          if (latestRuns.get(key) === run) latestRuns.delete(key)
        }),
    }
    return run
  }
}
