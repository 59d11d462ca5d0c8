import { setTimeout as pause } from 'node:timers/promises'
import type { Queryable } from '#db/database.ts'
import type { OfferedCreation, OfferedVoucher, SharedFields } from '#domain/record/record-vouchers.queries.ts'
import type { Limiter } from '#limits/limiter.ts'

/** The modules of the service whose exports a mutant replaces. */
type Modules = {
  'src/db/write-guard.ts': typeof import('#db/write-guard.ts')
  'src/domain/batches/batch-lock.queries.ts': typeof import('#domain/batches/batch-lock.queries.ts')
  'src/domain/batches/rows-to-make.queries.ts': typeof import('#domain/batches/rows-to-make.queries.ts')
  'src/domain/creating/match-candidates.ts': typeof import('#domain/creating/match-candidates.ts')
  'src/domain/deliveries/notify-webhooks.ts': typeof import('#domain/deliveries/notify-webhooks.ts')
  'src/domain/record/creations.queries.ts': typeof import('#domain/record/creations.queries.ts')
  'src/domain/record/due-withdrawals.queries.ts': typeof import('#domain/record/due-withdrawals.queries.ts')
  'src/domain/record/record-vouchers.queries.ts': typeof import('#domain/record/record-vouchers.queries.ts')
  'src/domain/record/revoke-creations.queries.ts': typeof import('#domain/record/revoke-creations.queries.ts')
  'src/limits/limiter.ts': typeof import('#limits/limiter.ts')
  'src/queue/queue.ts': typeof import('#queue/queue.ts')
}

/** Functions by module and export. Each gets the original export and returns its replacement. */
export type Replacements = {
  [Path in keyof Modules]?: { [Name in keyof Modules[Path]]?: (original: Modules[Path][Name]) => Modules[Path][Name] }
}

/** Versions of the service that lack one protection each. The checker must notice every one of them. */
export const mutants = {
  // Recording inserts a missing creation again, so only the death of a process before that is noticed.
  'no creation before the call': {
    'src/domain/record/creations.queries.ts': {
      insertCreationAt: () => async () => undefined,
      insertCreation: (original) => async (db, creation, options) =>
        options?.isMade ? original(db, creation, options) : { isSilent: false },
    },
  },
  // A creation whose voucher belongs to another creation gets it all the same.
  'no unique claim': {
    'src/domain/record/record-vouchers.queries.ts': {
      recordOfferedVouchers: (original) => async (db, shared, creationIds, offered, options) => {
        const creations = await original(db, shared, creationIds, offered, options)
        const [voucher] = offered
        if (!voucher) return creations
        return Promise.all(
          creations.map((each) => (each.voucherId === null ? giveAgain(db, shared, each, voucher) : each)),
        )
      },
    },
  },
  // The transaction has ended by then, so the write commits alone or in the next transaction of the connection.
  'no outbox': {
    'src/domain/deliveries/notify-webhooks.ts': { notifyCreated: runLater },
    'src/domain/batches/batch-lock.queries.ts': { makeBatchDue: runLater },
  },
  'count then insert': {
    'src/limits/limiter.ts': {
      createLimiter:
        (original) =>
        (...counters) =>
          countThenInsert(original(...counters)),
    },
  },
  'revoke only what is recorded': {
    'src/domain/record/revoke-creations.queries.ts': { updateCreationsRevoked: () => async () => [] },
  },
  'surplus by its name': {
    'src/domain/creating/match-candidates.ts': {
      isCertainlyFor: () => () => true,
      matchCandidates: (original) => (seen, sought, options) =>
        original(seen, sought, { ...options, until: undefined }),
    },
  },
  // Each of the two protections is enough.
  'retention forgets open batches': {
    'src/domain/record/creations.queries.ts': {
      settledCreations: (original) => ({ ...original, deletableIf: 'true' }),
    },
    'src/domain/batches/rows-to-make.queries.ts': { updateRowsWithoutCreation: () => async () => {} },
  },
  'writes without confirmation': {
    'src/db/write-guard.ts': {
      createWriteGuard: (original) => (options) => ({ ...original(options), commitAbandoned() {}, lockTimedOut() {} }),
    },
  },
  'no fairness between hosts': {
    'src/queue/queue.ts': {
      createQueue: (original) => (options) => {
        const queue = original(options)
        return {
          ...queue,
          work: (name, limits, handle) => queue.work(name, { ...limits, perWiderGroupHere: undefined }, handle),
        }
      },
    },
  },
  // Takes what became due first. In the runs with a large revocation, that is the revocation.
  'first come, first served': {
    'src/domain/record/due-withdrawals.queries.ts': {
      takeDueWithdrawals: (original) => async (db, siteId, _, limit) => {
        for (const kind of ['bulk', 'small', 'conditional', 'end'] as const) {
          const due = await original(db, siteId, kind, limit)
          if (due.length > 0) return due
        }
        return []
      },
    },
  },
} as const satisfies Record<string, Replacements>

export type Mutant = keyof typeof mutants

/** Settles the creation with a voucher, whoever has it. */
async function giveAgain(
  db: Queryable,
  { siteId }: SharedFields,
  creation: OfferedCreation,
  { id, code, answer }: OfferedVoucher,
): Promise<OfferedCreation> {
  const { rows } = await db.query<{ id: string }>(
    `update creations set state = 'recorded', settled_at = now(), voucher_id = v.id, answer = $5
       from vouchers v
      where v.site_id = $1 and (v.controller_voucher_id = $3 or $3 is null and v.code = $4)
        and creations.site_id = $1 and creations.id = $2
     returning v.id`,
    [siteId, creation.id, id, code, answer],
  )
  return rows[0] ? { ...creation, voucherId: rows[0].id, answer, outcome: 'recorded' } : creation
}

function runLater<Args extends unknown[]>(original: (...args: Args) => Promise<void>) {
  return async (...args: Args): Promise<void> => {
    setTimeout(() => void original(...args).catch(() => {}), 50)
  }
}

/** Reads the count and writes it 30 ms later, so parallel requests read the same count. */
function countThenInsert(limiter: Limiter): Limiter {
  const known = new Map<string, { count: number; endsAt: number }>()
  return async (key, limit, seconds) => {
    const seen = known.get(key)
    if (seen && seen.endsAt > Date.now()) {
      const { count } = seen
      await pause(30)
      seen.count = count + 1
      return { allowed: count <= limit, limit, remaining: Math.max(limit - count, 0), resetSeconds: 60 }
    }
    const verdict = await limiter(key, limit, seconds)
    known.set(key, { count: limit - verdict.remaining, endsAt: Date.now() + 60_000 })
    return verdict
  }
}
