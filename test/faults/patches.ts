import type { Point } from '#lib/points.ts'

/** A change of the source as it is loaded, for a test only. `find` must be there exactly once. */
export type Patch = { file: string; find: string; replace: string }

/** Where an api dies, and where a worker does. */
export const apiPoints: Point[] = ['after intent', 'in flight', 'after answer', 'before commit', 'after commit']
export const workerPoints: Point[] = ['before ack', 'in flight', 'after answer', 'before commit', 'after commit']

/** What the checker must notice when it is missing. */
export const mutants = {
  'no intent': [
    {
      // Recording inserts an intent again that is gone, so only a death before it is noticed.
      file: 'src/domain/vouchers/open-creation.ts',
      find: '  if (await insertCreation(db, intent)) return\n',
      replace: '  if (db) return\n',
    },
  ],
  'no unique claim': [
    {
      file: 'src/domain/vouchers/vouchers.queries.ts',
      find: ' where vouchers.creation_id is null\n     returning id',
      replace: '\n     returning id',
    },
    {
      file: 'src/domain/vouchers/vouchers.queries.ts',
      find: '[siteId, vouchers.flatMap(({ id }) => id ?? []), vouchers.map(({ code }) => code)],\n  )\n  return rows\n',
      replace:
        '[siteId, vouchers.flatMap(({ id }) => id ?? []), vouchers.map(({ code }) => code)],\n  )\n  return rows.slice(rows.length)\n',
    },
  ],
  'no outbox': [
    {
      file: 'src/domain/vouchers/record-vouchers.ts',
      find: '    await tellOf(ctx, tx, recording, recorded)\n',
      replace: `    const later = () => ctx.db.transaction((tx) => tellOf(ctx, tx, recording, recorded))
    setTimeout(() => void later().catch(() => {}), 50)\n`,
    },
  ],
  'count then insert': [
    {
      file: 'src/limits/limiter.ts',
      find: 'export function createLimiter(',
      replace: `/** Reads, then writes. */
const naive = new Map()
export function createLimiter(...counters) {
  const count = counters[0]
  return createRealLimiter(async (key, ...rest) => {
    const known = naive.get(key)
    if (known && known.endsAt > Date.now()) {
      const counted = known.answer
      await new Promise((resolve) => setTimeout(resolve, 30))
      known.answer = { ...counted, count: counted.count + 1 }
      return counted
    }
    const answer = await count(key, ...rest)
    naive.set(key, { answer, endsAt: Date.now() + 60_000 })
    return answer
  })
}
function createRealLimiter(`,
    },
  ],
  'revoke only what is recorded': [
    {
      file: 'src/domain/withdrawals/choose-vouchers.ts',
      find: 'const unsettled = await updateCreationsRevoked(tx, sites, filter)',
      replace: 'const unsettled = []',
    },
  ],
  'surplus by its name': [
    {
      file: 'src/domain/vouchers/match-candidates.ts',
      find: '  if (isTagged(sought)) return true\n  const madeAt',
      replace: '  if (sought) return true\n  const madeAt',
    },
    {
      file: 'src/domain/vouchers/match-candidates.ts',
      find: 'options.until ? options.until.getTime() + toleranceMs : Number.POSITIVE_INFINITY',
      replace: 'Number.POSITIVE_INFINITY',
    },
  ],
} as const satisfies Record<string, Patch[]>

export type Mutant = keyof typeof mutants
