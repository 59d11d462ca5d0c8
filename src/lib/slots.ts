type Line = { running: number; waiting: (() => void)[] }

export type Slots = {
  /** Tells `work` whether it had to wait: data that was read before may have changed since. */
  run<T>(key: string, work: (waited: boolean) => Promise<T>): Promise<T>
  /** Waits until all work has ended. */
  drain(): Promise<void>
}

export type SlotOptions = {
  atOnce: number
  /** How many may wait per key. More are rejected at once, so that waiting requests cannot fill the process. */
  maxWaiting: number
  maxWaitMs: number
  refusal: () => Error
}

/** Limits how much work of one key runs at once; more of it waits in a line. So a slow key does not delay other keys. */
export function createSlots({ atOnce, maxWaiting, maxWaitMs, refusal }: SlotOptions): Slots {
  const lines = new Map<string, Line>()
  const running = new Set<Promise<unknown>>()

  async function take(line: Line): Promise<boolean> {
    if (line.running < atOnce) {
      line.running += 1
      return false
    }
    if (line.waiting.length >= maxWaiting) throw refusal()
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const turn = () => {
      clearTimeout(timer)
      resolve(true)
    }
    const timer = setTimeout(() => {
      line.waiting.splice(line.waiting.indexOf(turn), 1)
      reject(refusal())
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
