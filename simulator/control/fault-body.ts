import { type Fault, faultKinds, faultTargets } from '../faults/fault.ts'
import { isIntegerWithin, type JsonObject } from '../http/json.ts'
import { ControlError } from './control-error.ts'

const slowKinds = ['slow', 'slow-drip']
const slowDelayMs = 1000

export function readFault({ on, kind, times = 1, delayMs, ...unknown }: JsonObject): Fault {
  const target = faultTargets.find((known) => known === on)
  if (!target) throw new ControlError(400, `'on' must be one of ${faultTargets.join(', ')}`)
  const knownKind = faultKinds.find((known) => known === kind)
  if (!knownKind) throw new ControlError(400, `'kind' must be one of ${faultKinds.join(', ')}`)
  if (!isIntegerWithin(times, 1, 1_000_000)) throw new ControlError(400, "'times' must be an integer of at least 1")
  const delay = delayMs ?? (slowKinds.includes(knownKind) ? slowDelayMs : 0)
  if (!isIntegerWithin(delay, 0, 600_000)) throw new ControlError(400, "'delayMs' must be an integer up to 600000")
  const [first] = Object.keys(unknown)
  if (first !== undefined) throw new ControlError(400, `'${first}' is not known`)
  return { on: target, kind: knownKind, times, delayMs: delay }
}
