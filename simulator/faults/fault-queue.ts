export const faultKinds = [
  'refuse',
  'unauthorized',
  'forbidden',
  'not-found',
  'too-many',
  'server-error',
  'gateway-html',
  'gateway-timeout',
  'unavailable',
  'html-ok',
  'empty',
  'no-code',
  'bad-code',
  'truncated',
  'created-then-reset',
  'created-then-error',
  'reset',
  'hang-before',
  'hang-after',
  'slow',
  'slow-drip',
  'huge',
  'extra-fields',
  'deep',
] as const

export type FaultKind = (typeof faultKinds)[number]

export const faultTargets = ['create', 'list', 'delete', 'guests', 'unauthorize', 'login', 'any'] as const

type FaultTarget = (typeof faultTargets)[number]

/**
 * `times` is how often the fault still happens. `delayMs` passes before the answer, before each of its bytes, or before the
 * connection is closed. With `mac`, only a command for this device has the fault.
 */
export type Fault = { on: FaultTarget; kind: FaultKind; times: number; delayMs: number; mac?: string }

/** The kind of work that a request asks for. Only faults on `any` apply to `other`. */
export type Operation = Exclude<FaultTarget, 'any'> | 'other'

export type FaultQueue = {
  list(): readonly Fault[]
  add(fault: Fault): void
  /** Returns the first fault for this operation, and for the device of a command, and counts its `times` down. */
  take(operation: Operation, mac?: string): Fault | undefined
  /** Returns how many faults it removed. */
  clear(): number
}

export function createFaultQueue(): FaultQueue {
  let faults: Fault[] = []
  return {
    list: () => faults,
    add: (fault) => void faults.push(fault),
    take(operation, mac) {
      const fault = faults.find(
        (each) => (each.on === 'any' || each.on === operation) && (each.mac === undefined || each.mac === mac),
      )
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
