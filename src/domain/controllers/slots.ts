import { DomainError } from '../errors.ts'

/** A little less than the 2 s that are promised: with the 8 s of a call an answer comes within 10.5 s on a busy machine too. */
const maxWaitMs = 1_700
/** A controller that everybody asks for at once must not fill the process with those who wait for it. */
const maxWaiting = 60

type Lane = { running: number; waiting: (() => void)[] }

export type Slots = {
  /** `work` is told whether it had to wait: what was read before may have changed since. */
  run<T>(controllerId: string, work: (waited: boolean) => Promise<T>): Promise<T>
  drain(): Promise<void>
}

/** So many calls at once per controller; others wait a little. One slow controller must not hold everybody's requests. */
export function createSlots(slotsPerController: number): Slots {
  const lanes = new Map<string, Lane>()
  const running = new Set<Promise<unknown>>()

  async function take(lane: Lane): Promise<boolean> {
    if (lane.running < slotsPerController) {
      lane.running += 1
      return false
    }
    if (lane.waiting.length >= maxWaiting) throw new DomainError('controller_busy')
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const turn = () => {
      clearTimeout(timer)
      resolve(true)
    }
    const timer = setTimeout(() => {
      lane.waiting.splice(lane.waiting.indexOf(turn), 1)
      reject(new DomainError('controller_busy'))
    }, maxWaitMs)
    lane.waiting.push(turn)
    return promise
  }

  /** A slot goes straight to the one who waits longest. */
  function release(controllerId: string, lane: Lane): void {
    const next = lane.waiting.shift()
    if (next) next()
    else lane.running -= 1
    if (lane.running === 0) lanes.delete(controllerId)
  }

  async function takeAndRun<T>(controllerId: string, work: (waited: boolean) => Promise<T>): Promise<T> {
    const lane = lanes.get(controllerId) ?? { running: 0, waiting: [] }
    lanes.set(controllerId, lane)
    const waited = await take(lane)
    try {
      return await work(waited)
    } finally {
      release(controllerId, lane)
    }
  }

  return {
    run(controllerId, work) {
      const run = takeAndRun(controllerId, work)
      running.add(run)
      run.catch(() => {}).finally(() => running.delete(run))
      return run
    },
    async drain() {
      await Promise.allSettled(running)
    },
  }
}
