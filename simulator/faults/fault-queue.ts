import type { Fault, Operation } from './fault.ts'

export type FaultQueue = {
  list(): readonly Fault[]
  add(fault: Fault): void
  /** Uses up one time of the first fault that fits. */
  take(operation: Operation): Fault | undefined
  clear(): number
}

export function createFaultQueue(): FaultQueue {
  let faults: Fault[] = []
  return {
    list: () => faults,
    add: (fault) => void faults.push(fault),
    take(operation) {
      const fault = faults.find(({ on }) => on === 'any' || on === operation)
      if (!fault) return undefined
      fault.times--
      if (fault.times === 0) faults = faults.filter((other) => other !== fault)
      return fault
    },
    clear() {
      const { length } = faults
      faults = []
      return length
    },
  }
}
