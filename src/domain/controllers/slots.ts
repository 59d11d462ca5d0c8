import { DomainError } from '../errors.ts'

const slotsPerController = 4
const maxWaitMs = 2_000

type Lane = { running: number; waiting: (() => void)[] }

export type Slots = <T>(controllerId: string, work: () => Promise<T>) => Promise<T>

/** So many calls at once per controller; others wait a little. One slow controller must not hold everybody's requests. */
export function createSlots(): Slots {
  const lanes = new Map<string, Lane>()

  async function take(lane: Lane): Promise<void> {
    if (lane.running < slotsPerController) {
      lane.running += 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const turn = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      lane.waiting.splice(lane.waiting.indexOf(turn), 1)
      reject(new DomainError('controller_busy'))
    }, maxWaitMs)
    lane.waiting.push(turn)
    await promise
  }

  /** A slot goes straight to the one who waits longest. */
  function release(controllerId: string, lane: Lane): void {
    const next = lane.waiting.shift()
    if (next) next()
    else lane.running -= 1
    if (lane.running === 0) lanes.delete(controllerId)
  }

  return async (controllerId, work) => {
    const lane = lanes.get(controllerId) ?? { running: 0, waiting: [] }
    lanes.set(controllerId, lane)
    await take(lane)
    try {
      return await work()
    } finally {
      release(controllerId, lane)
    }
  }
}
