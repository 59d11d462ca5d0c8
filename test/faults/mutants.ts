import { setTimeout as pause } from 'node:timers/promises'
import type { CreationRow, OfferedVoucher } from '#domain/record/record-vouchers.queries.ts'
import type { Step, StepName } from '#lib/points.ts'

/** Runs instead of a step of the service. Gets the original work and its input. */
type Replacement = (work: () => unknown, input: unknown) => unknown

/** Versions of the service that lack one protection each. The checker must notice every one of them. */
export const mutants = {
  // Recording inserts a missing intent again, so only the death of a process before that is noticed.
  'no intent': { 'insert intent at a known site': () => undefined, 'insert intent': () => ({ isSilent: false }) },
  'no unique claim': {
    'claim vouchers': async (work, offered) => {
      const [voucher] = offered as OfferedVoucher[]
      return ((await work()) as CreationRow[]).map((creation) =>
        creation.voucherId === null && voucher
          ? { ...creation, voucherId: creation.id, answer: voucher.answer, outcome: 'recorded' }
          : creation,
      )
    },
  },
  'no outbox': {
    // The transaction has ended by then, so the write commits alone or in the next transaction of the connection.
    'notify in the same commit': (work) => void setTimeout(() => void (work() as Promise<void>).catch(() => {}), 50),
  },
  'count then insert': { 'count request': countThenInsert },
  'revoke only what is recorded': { 'revoke unsettled creations': () => [] },
  'surplus by its name': {
    'decide whose surplus': () => true,
    'limit the time of candidates': () => Number.POSITIVE_INFINITY,
  },
  // Each of the two protections is enough.
  'retention forgets open batches': {
    'keep creations of open batches': () => 'true',
    'settle rows without a creation': () => undefined,
  },
  'writes without confirmation': { 'count abandoned commit': () => 0 },
  'no fairness between hosts': {
    'limit the attempts of a host': (_, limits) => ({ ...(limits as object), perWiderGroupHere: undefined }),
  },
  'first come, first served': { 'take withdrawals of one kind': takeBulkFirst },
} as const satisfies Record<string, Partial<Record<StepName, Replacement>>>

export type Mutant = keyof typeof mutants

/** Replaces the work of a step, if the mutant has a replacement for it. */
export function mutate(mutant: Mutant, step: Step): void {
  const replacement = (mutants[mutant] as Partial<Record<StepName, Replacement>>)[step.name]
  if (!replacement) return
  const { work, input } = step
  step.work = () => replacement(work, input)
}

/** Takes what became due first. In the runs with a large revocation, that is the revocation. */
async function takeBulkFirst(_: unknown, take: unknown): Promise<unknown> {
  for (const kind of ['bulk', 'small', 'conditional', 'end']) {
    const due = await (take as (kind: string) => Promise<unknown[]>)(kind)
    if (due.length > 0) return due
  }
  return []
}

type Counted = { count: number }

const known = new Map<unknown, { window: Counted; endsAt: number }>()

/** Reads the count and writes it 30 ms later, so parallel requests read the same count. */
async function countThenInsert(work: () => unknown, key: unknown): Promise<Counted> {
  const seen = known.get(key)
  if (seen && seen.endsAt > Date.now()) {
    const { window } = seen
    await pause(30)
    seen.window = { ...window, count: window.count + 1 }
    return window
  }
  const window = (await work()) as Counted
  known.set(key, { window, endsAt: Date.now() + 60_000 })
  return window
}
