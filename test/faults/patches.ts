/** A change of the source as it is loaded, for a test only. `find` must be there exactly once. */
export type Patch = { file: string; find: string; replace: string }

/** Where a process can be told to die, and what is put there. */
export const points = {
  'after intent': {
    file: 'src/domain/vouchers/create-voucher.ts',
    find: 'const creationId = await openCreation(ctx.db, request, asked)\n',
    replace: `const creationId = await openCreation(ctx.db, request, asked)
  globalThis.reach('after intent')\n`,
  },
  'in flight': {
    file: 'src/drivers/http.ts',
    find: 'const reply = await pool.request({',
    replace: `if (method === 'POST') globalThis.reach('in flight', 3)
        const reply = await pool.request({`,
  },
  'after answer': {
    file: 'src/domain/vouchers/make-vouchers.ts',
    find: 'recorded.push(...(await recordVouchers(ctx, { ...making, creationIds: left, candidates })))\n',
    replace: `globalThis.reach('after answer')
      recorded.push(...(await recordVouchers(ctx, { ...making, creationIds: left, candidates })))
      globalThis.reach('after commit')\n`,
  },
  'before commit': {
    file: 'src/domain/vouchers/record-vouchers.ts',
    find: '    await tellOf(ctx, tx, recording, open, recorded)\n',
    replace: `    await tellOf(ctx, tx, recording, open, recorded)
    globalThis.reach('before commit')\n`,
  },
  'before ack': {
    file: 'src/domain/notifications/deliver.ts',
    find: '  const attempt = { ...answer,',
    replace: `  globalThis.reach('before ack')
  const attempt = { ...answer,`,
  },
} as const satisfies Record<string, Patch>

export type Point = keyof typeof points | 'after commit'

/** Where an api dies, and where a worker does. */
export const apiPoints: Point[] = ['after intent', 'in flight', 'after answer', 'before commit', 'after commit']
export const workerPoints: Point[] = ['before ack', 'in flight', 'after answer', 'before commit', 'after commit']

/** What the checker must notice when it is missing. */
export const mutants = {
  'no intent': [
    {
      file: 'src/domain/vouchers/open-creation.ts',
      find: '  if (await insertCreation(db, creation)) return creation.id\n',
      replace: '  if (db) return creation.id\n',
    },
    {
      file: 'src/domain/vouchers/creations.queries.ts',
      find: 'order by id for update`,\n    [siteId, ids],\n  )\n  return rows\n',
      replace: `order by id for update\`,
    [siteId, ids],
  )
  const nothing = { hasNoVoucher: true, voucherId: null, answer: null, reference: null, validUntil: null, batchId: null }
  return ids.map((id) => rows.find((row) => row.id === id) ?? { id, ...nothing })\n`,
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
      find: 'return rows.map(({ code }) => code)',
      replace: 'return rows.slice(rows.length).map(({ code }) => code)',
    },
  ],
  'no outbox': [
    {
      file: 'src/domain/vouchers/record-vouchers.ts',
      find: '    await tellOf(ctx, tx, recording, open, recorded)\n',
      replace: `    const later = () => ctx.db.transaction((tx) => tellOf(ctx, tx, recording, open, recorded))
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
} as const satisfies Record<string, Patch[]>

export type Mutant = keyof typeof mutants
