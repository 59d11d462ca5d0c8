import { describe, expect, test, vi } from 'vitest'
import { lockVoucher } from '#domain/record/change-voucher.queries.ts'
import { takeDueWithdrawals } from '#domain/record/due-withdrawals.queries.ts'
import { withdrawDue } from '#domain/revocations/withdraw-due.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write', name: 'Hotel' })
const simulator = await startSimulator('--flavour', 'console')
const site = await seedControlledSite(app.db, simulator, { driver: 'unifi-integration' })

const minutesAhead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const day = 24 * 60

async function checkIn(wanted: object = {}) {
  const body = JSON.stringify({ site_id: site, name: 'Zimmer 12', ...wanted })
  const answer = await app.call('/api/v2/vouchers', { method: 'POST', key, body })
  expect(answer.status, answer.text).toBe(201)
  return answer.json()
}

const change = (id: string, body: object, headers: Record<string, string> = {}) =>
  app.call(`/api/v2/vouchers/${id}`, { method: 'PATCH', key, body: JSON.stringify(body), headers })
const read = async (id: string) => (await app.call(`/api/v2/vouchers/${id}`, { key })).json()
const uuidOf = (id: string) => id.slice(id.indexOf('-') + 1)
const scheduled = async (id: string) =>
  (
    await app.db.query<{ due_at: Date }>(
      `select due_at from withdrawals where voucher_id = $1 and settled_at is null and reason = 'valid_until'`,
      [uuidOf(id)],
    )
  ).rows.map(({ due_at }) => due_at.toISOString())

describe('a stay', () => {
  test('is extended within its reserved time, shortened, and left without an end', async () => {
    const { id, expire_minutes, ...made } = await checkIn({
      valid_until: minutesAhead(day),
      extendable_until: minutesAhead(3 * day),
    })
    expect(expire_minutes).toBeGreaterThanOrEqual(3 * day - 1)
    expect(made.ends_at).toBe(made.valid_until)

    const later = minutesAhead(2 * day)
    const extended = await change(id, { valid_until: later })
    expect([extended.status, extended.json().valid_until, extended.json().ends_at]).toEqual([200, later, later])
    expect(await scheduled(id)).toEqual([later])

    const sooner = minutesAhead(60)
    await change(id, { valid_until: sooner })
    expect(await scheduled(id)).toEqual([sooner])

    expect((await change(id, { valid_until: null })).json()).toMatchObject({ valid_until: null, ends_at: null })
    expect(await scheduled(id)).toEqual([])
    await change(id, { valid_until: later })
    expect(await scheduled(id)).toEqual([later])
  })

  test('cannot be extended beyond the minutes of the controller', async () => {
    const { id, latest_valid_until } = await checkIn({ valid_until: minutesAhead(day) })
    expect(Date.parse(latest_valid_until)).toBeGreaterThan(Date.parse(minutesAhead(day - 3)))

    const refused = await change(id, { valid_until: minutesAhead(2 * day) })
    expect([refused.status, refused.json().error]).toEqual([409, 'valid_until_too_late'])
    expect(refused.json().message).toMatch(/must not be after 2\d{3}-/)
    expect((await change(id, { valid_until: latest_valid_until })).status).toBe(200)
  })

  test.each([0, 59_999])(
    'can be moved to extendable_until itself, unused or used at once (%i ms more)',
    async (more) => {
      const extendable = new Date(Math.ceil(Date.now() / 60_000 + 3 * day) * 60_000 + more).toISOString()
      const stay = { valid_until: minutesAhead(day), extendable_until: extendable }
      const [unused, used] = [await checkIn(stay), await checkIn(stay)]
      await simulator.redeem(used.code)
      await app.call(`/api/v2/vouchers/lookup?code=${used.code}&site_id=${site}&fresh=true`, { key })
      expect((await read(used.id)).used_count).toBe(1)

      for (const { id } of [unused, used]) {
        const moved = await change(id, { valid_until: extendable })
        expect([moved.status, moved.json().valid_until]).toEqual([200, extendable])
      }
    },
  )

  test('can be sent again as it is, or shortened by a moment', async () => {
    const { id, valid_until } = await checkIn({ valid_until: minutesAhead(day) })
    const sooner = new Date(Date.parse(valid_until) - 1_000).toISOString()

    expect((await change(id, { name: 'Suite', valid_until })).status).toBe(200)
    expect((await change(id, { valid_until: sooner })).json().valid_until).toBe(sooner)
    expect(await scheduled(id)).toEqual([sooner])
    expect((await change(id, { valid_until })).json().error).toBe('valid_until_too_late')
  })

  test('has no limit while it is unused and its minutes were not cut', async () => {
    const { id, latest_valid_until } = await checkIn({ valid_until: minutesAhead(day), expire_minutes: 60 })

    expect(latest_valid_until).toBeNull()
    expect((await change(id, { valid_until: minutesAhead(400 * day) })).status).toBe(200)
  })

  test('once used, ends at the latest when its minutes end', async () => {
    const { id } = await checkIn({ expire_minutes: 60 })
    const expires = minutesAhead(60)
    await app.db.query('update vouchers set used_count = 1, first_used_at = now(), expires_at = $2 where id = $1', [
      uuidOf(id),
      expires,
    ])

    expect((await read(id)).latest_valid_until).toBe(expires)
    expect((await change(id, { valid_until: minutesAhead(61) })).status).toBe(409)
    expect((await change(id, { valid_until: expires })).json().ends_at).toBe(expires)
  })
})

test('name and reference change, and both are found; the name on the controller stays', async () => {
  const { id, controller_name } = await checkIn({ reference: 'R-1' })
  const { status, json } = await change(id, { name: '  Zimmer 14 ', reference: 'R-2' })

  expect([status, json()]).toEqual([
    200,
    { ...(await read(id)), name: 'Zimmer 14', reference: 'R-2', controller_name, valid_until: null },
  ])
  const found = async (query: string) =>
    (await app.call(`/api/v2/vouchers?${query}`, { key })).json().vouchers.map((voucher: any) => voucher.id)
  expect(await found('text=zimmer%2014')).toEqual([id])
  expect(await found('reference=R-2')).toEqual([id])
  expect(await found('reference=R-1')).toEqual([])
  expect((await change(id, { reference: null })).json()).toMatchObject({ name: 'Zimmer 14', reference: null })
})

test.each([
  ['nothing', {}],
  ['an unknown field', { code: '1' }],
  ['no name', { name: null }],
  ['an invisible name', { name: '\u200b' }],
  ['a time without a zone', { valid_until: '2099-01-01T00:00:00' }],
  ['a time that has passed', { valid_until: '2020-01-01T00:00:00Z' }],
  ['a time within the minute', { valid_until: new Date(Date.now() + 20_000).toISOString() }],
  ['an empty reference', { reference: '' }],
])('400: %s; the voucher stays as it is', async (_, body) => {
  const voucher = await checkIn({ reference: 'R-3', expire_minutes: 60 })

  expect((await change(voucher.id, body)).status).toBe(400)
  expect(await read(voucher.id)).toEqual(voucher)
})

describe('409', () => {
  test('voucher_ended: expired, revoked, or its minutes are over', async () => {
    for (const ended of [`status = 'expired'`, `status = 'revoked'`, `expires_at = now() - interval '1 second'`]) {
      const { id } = await checkIn()
      await app.db.query(`update vouchers set ${ended} where id = $1`, [uuidOf(id)])
      const refused = await change(id, { name: 'Neu' })
      expect([refused.status, refused.json().error], ended).toEqual([409, 'voucher_ended'])
    }
  })

  test('voucher_being_revoked: a revocation waits, or a scheduled end has begun', async () => {
    const revoked = await checkIn()
    await app.call(`/api/v2/vouchers/${revoked.id}`, { method: 'DELETE', key })
    const ending = await checkIn({ valid_until: minutesAhead(day) })
    await app.db.query(`update withdrawals set due_at = now() - interval '1 second' where voucher_id = $1`, [
      uuidOf(ending.id),
    ])
    const begun = await checkIn({ valid_until: minutesAhead(day) })
    await app.db.query('update withdrawals set attempts = 1 where voucher_id = $1', [uuidOf(begun.id)])

    for (const { id } of [revoked, ending, begun]) {
      const refused = await change(id, { valid_until: null })
      expect([refused.status, refused.json().error]).toEqual([409, 'voucher_being_revoked'])
    }
  })

  test('a due end for unused vouchers rejects a change only while the voucher is unused', async () => {
    const { id } = await checkIn({ unused_days: 1 })
    await app.db.query(`update withdrawals set due_at = now() - interval '1 second' where voucher_id = $1`, [
      uuidOf(id),
    ])

    expect((await change(id, { name: 'Neu' })).json().error).toBe('voucher_being_revoked')
    await app.db.query('update vouchers set used_count = 1 where id = $1', [uuidOf(id)])
    expect((await change(id, { name: 'Neu' })).status).toBe(200)
  })
})

describe('Idempotency-Key', () => {
  test('a repeat changes nothing and gets the voucher as it is now', async () => {
    const { id } = await checkIn()
    const headers = { 'idempotency-key': 'extend-1' }
    await change(id, { name: 'Eins' }, headers)
    await change(id, { name: 'Zwei' })
    const again = await change(id, { name: 'Eins' }, headers)

    expect([again.status, again.headers['idempotent-replayed'], again.json().name]).toEqual([200, 'true', 'Zwei'])
    expect((await change(id, { name: 'Drei' }, headers)).status).toBe(422)
    const other = await checkIn()
    expect((await change(other.id, { name: 'Eins' }, headers)).status).toBe(422)
  })

  test('a change that was rejected can be repeated', async () => {
    const { id } = await checkIn({ valid_until: minutesAhead(day) })
    const headers = { 'idempotency-key': 'extend-2' }
    const body = { valid_until: minutesAhead(3 * day) }

    expect((await change(id, body, headers)).status).toBe(409)
    await app.db.query('update vouchers set minutes_cut = false where id = $1', [uuidOf(id)])
    expect((await change(id, body, headers)).status).toBe(200)
  })

  test('two at once: one change, one audit', async () => {
    const { id } = await checkIn()
    const headers = { 'idempotency-key': 'extend-3' }
    const answers = await Promise.all([1, 2, 3].map(() => change(id, { name: 'Neu' }, headers)))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const { rows } = await app.db.query('select action, actor_name, details from audit where target_id = $1', [id])
    const details = { changes: {}, before: {}, guestFields: ['name'] }
    expect(rows).toEqual([{ action: 'voucher.changed', actor_name: 'Hotel', details }])
  })
})

test('a change that is committed while a worker takes due withdrawals keeps the voucher', async () => {
  const alone = await seedControlledSite(app.db, simulator)
  const stay = { site_id: alone, valid_until: minutesAhead(day), extendable_until: minutesAhead(3 * day) }
  const { id, code } = await checkIn(stay)
  const later = minutesAhead(2 * day)
  // From now on a worker may take the withdrawal. The change locks it first, and the worker comes while the lock is held.
  await app.db.query(`update withdrawals set next_attempt_at = now() - interval '1 second' where voucher_id = $1`, [
    uuidOf(id),
  ])
  let changing: ReturnType<typeof change> | undefined
  await app.db.transaction(async (tx) => {
    await tx.query('lock table audit in exclusive mode')
    changing = change(id, { valid_until: later })
    await vi.waitFor(
      async () =>
        expect(
          (
            await app.db.query(
              `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query ilike '%audit%'`,
            )
          ).rowCount,
        ).toBeGreaterThan(0),
      { timeout: 20_000, interval: 20 },
    )
    await withdrawDue(app.context, alone)
  })
  expect((await changing)?.status).toBe(200)

  await withdrawDue(app.context, alone)
  expect((await read(id)).status).toBe('valid')
  expect((await simulator.vouchers()).some((voucher) => voucher.code === code && !voucher.deleted)).toBe(true)
})

test('while a change looks at a voucher, no worker begins to withdraw it', async () => {
  const alone = await seedControlledSite(app.db, simulator)
  const { id } = await checkIn({ site_id: alone, valid_until: minutesAhead(day) })
  await app.db.query(`update withdrawals set next_attempt_at = now() - interval '1 second' where voucher_id = $1`, [
    uuidOf(id),
  ])

  await app.db.transaction(async (tx) => {
    expect(await lockVoucher(tx, { siteId: alone, id: uuidOf(id) })).toMatchObject({ isBeingRevoked: false })
    expect(await takeDueWithdrawals(app.db, alone, 'end', 50)).toEqual([])
  })
  expect(await takeDueWithdrawals(app.db, alone, 'end', 50)).toHaveLength(1)
})
