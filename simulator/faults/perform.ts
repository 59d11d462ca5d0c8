import type { Reply } from '../http/reply.ts'
import type { Dialect } from './dialect.ts'
import type { Operation } from './fault.ts'
import { faultOutcomes } from './fault-outcomes.ts'
import type { FaultQueue } from './fault-queue.ts'
import type { Performance } from './outcome.ts'

/** Does the work, or what the next fault for this operation makes of it. */
export function perform(
  faults: FaultQueue,
  { operation, work, dialect }: { operation: Operation; work: () => Reply; dialect: Dialect },
): Performance {
  const fault = faults.take(operation)
  if (!fault) return { outcome: work() }
  const { kind, delayMs } = fault
  return { outcome: faultOutcomes[kind]({ work, dialect }), delayMs, drip: kind === 'slow-drip' }
}
