import { assert, asyncProperty, constant, constantFrom, oneof, string, tuple, uniqueArray } from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { report } from '#test/report.ts'
import { seedKey, seedSite, seedVoucher } from '#test/seed.ts'
import { size } from '#test/size.ts'
import { revocationRowCursor, siteCursor, voucherCursor } from './cursor.ts'
import { operations } from './operations.ts'

const app = await startApp()
const { key } = await seedKey(app.db)
const site = await seedSite(app.db)
const id = await seedVoucher(app.db, site)

/** Values that mean something somewhere, those at an edge, and noise. */
const meaningful = [
  ...['1', '0', '-1', '200', '201', '2147483647', '2147483648', '1e3', '0x1', '9'.repeat(400), 'NaN', 'null', 'true'],
  ...[
    'valid',
    'used',
    'expired',
    'revoked',
    'VALID',
    '48614-09510',
    '- -',
    '%',
    '_',
    '\\',
    "'",
    '\u0000',
    '\ud800',
    '🙂',
  ],
  ...['2026-11-14T22:46:00Z', '2026-12-31T23:59:60Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999+23:59'],
  ...['2026-02-30T00:00:00Z', '-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z', '2026-11-14 22:46:00 Z'],
  ...[String(site), id, `${site}-${id}`, `0-${id}`, `2147483648-${id}`, '00000000-0000-0000-0000-000000000000'],
  ...[siteCursor({ id: site }), siteCursor({ id: 2 ** 31 }), siteCursor({ id: 1e20 })],
  ...[0, 8.64e15, -1, 253402300799999].map((ms) => voucherCursor({ createdAt: new Date(ms), id })),
]
const value = oneof(constantFrom(...meaningful), string({ unit: 'binary', maxLength: 40 }), string({ maxLength: 300 }))

/** Most parameters are asked as they are meant, so that a request gets far enough to meet another one that is not. */
const fitting: Record<string, string[]> = {
  site_id: [String(site), String(site), '999999'],
  status: ['valid', 'used', 'expired', 'revoked'],
  text: ['Gast', '%', '\\', "'", '🙂'],
  reference: ['R-1', '%', "'"],
  source: [id, '00000000-0000-0000-0000-000000000000'],
  batch_id: [id],
  created_after: ['2026-11-14T22:46:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999+23:59'],
  created_before: ['2026-11-14T22:46:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999-23:59'],
  code: ['48614-09510', '4', 'x'],
  limit: ['1', '200'],
  cursor: [
    revocationRowCursor({ siteId: site, id }),
    siteCursor({ id: site }),
    voucherCursor({ createdAt: new Date(), id }),
    voucherCursor({ createdAt: new Date(0), id }),
  ],
}

const request = constantFrom(...operations.filter(({ method }) => method === 'GET')).chain(({ path, query }) => {
  const known = oneof(
    ...Object.keys(query?.properties ?? { nothing: 1 }).map((name) =>
      tuple(
        constant(name),
        oneof({ arbitrary: constantFrom(...(fitting[name] ?? [''])), weight: 9 }, { arbitrary: value, weight: 1 }),
      ),
    ),
  )
  const noise = tuple(constantFrom('__proto__', 'constructor', 'site_id[]', ''), value)
  const pairs = uniqueArray(oneof({ arbitrary: known, weight: 49 }, { arbitrary: noise, weight: 1 }), {
    maxLength: 5,
    selector: ([name]) => name,
  })
  const segment = oneof(constantFrom(String(site), `${site}-${id}`), value)
  return tuple(segment, pairs).map(
    ([at, asked]) =>
      `${path.replace('{id}', () => encodeURIComponent(at.toWellFormed()))}?${new URLSearchParams(asked)}`,
  )
})

test('whatever is asked: an answer that the document knows, never a 5xx', async () => {
  const statuses = new Map<number, number>()
  await assert(
    asyncProperty(request, async (asked) => {
      const { status } = await app.call(`/api/v2${asked}`, { key })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect(status).toBeLessThan(500)
    }),
    { numRuns: size(1_500, 100_000) },
  )
  report('statuses of generated requests', [...statuses].map((counted) => counted.join(': ')).join('; '))
  expect([...statuses.keys()].toSorted()).toEqual([200, 400, 404])
})
