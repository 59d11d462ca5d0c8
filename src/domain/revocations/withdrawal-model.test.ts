import { setTimeout as pause } from 'node:timers/promises'
import { type Arbitrary, array, assert, asyncProperty, constant, integer, oneof, record } from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { report, size } from '#test/measuring.ts'
import { onIntegration, startStay, uuidOf } from '#test/stay.ts'
import { syncSite } from '../syncing/sync-site.ts'
import { type WithdrawContext, withdrawDue } from './withdraw-due.ts'

/*
 * Runs random sequences of steps that can happen to a voucher, and compares the result with a model. The model is made from the
 * answers that clients got and from the first use. At the end the record and the controller must be as the last answered request
 * says.
 */

const app = await startApp()
const { key, openSite } = await startStay(app)
const { id: site, simulator } = await openSite(onIntegration)
const minute = 60_000

/** Ends lie between full tens of minutes and time passes in tens, so that no end is within seconds of a check. */
const someMinutes = integer({ min: 0, max: 70 }).map((tens) => tens * 10 + 5)
type Change = { valid_until?: number | null; name?: string; reference?: string | null }

type Step =
  | { do: 'change' | 'change and revoke' | 'change at the end'; change: Change; delayMs: number }
  | { do: 'pass'; minutes: number }
  | { do: 'worker dies'; after: number }
  | { do: 'revoke' | 'redeem' | 'work' | 'sync' }

const change: Arbitrary<Change> = oneof(
  { arbitrary: record({ valid_until: oneof(someMinutes, constant(null)) }), weight: 3 },
  { arbitrary: record({ name: integer({ min: 1, max: 99 }).map((n) => `Zimmer ${n}`) }), weight: 1 },
  { arbitrary: record({ reference: oneof(constant('R-1'), constant('R-2'), constant(null)) }), weight: 1 },
)
const delayMs = integer({ min: 0, max: 80 })
const changing = (what: 'change' | 'change and revoke' | 'change at the end') =>
  record({ do: constant(what), change, delayMs }) as Arbitrary<Step>
const step: Arbitrary<Step> = oneof(
  { arbitrary: changing('change'), weight: 6 },
  { arbitrary: changing('change at the end'), weight: 3 },
  { arbitrary: changing('change and revoke'), weight: 1 },
  { arbitrary: record({ do: constant('pass'), minutes: integer({ min: 1, max: 40 }).map((n) => n * 10) }), weight: 3 },
  { arbitrary: record({ do: constant('worker dies'), after: integer({ min: 0, max: 7 }) }), weight: 3 },
  { arbitrary: record({ do: constant('revoke') }), weight: 1 },
  { arbitrary: record({ do: constant('redeem') }), weight: 2 },
  { arbitrary: record({ do: constant('work') }), weight: 3 },
  { arbitrary: record({ do: constant('sync') }), weight: 1 },
) as Arbitrary<Step>

const counts = new Map<string, number>()
const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)

/** Creates a voucher. `known` is the model of it. */
async function checkIn() {
  const at = (minutes: number) => new Date(Date.now() + minutes * minute).toISOString()
  const wanted = { valid_until: at(125), extendable_until: at(705), reference: 'R-1', max_uses: 3 }
  const body = JSON.stringify({ site_id: site, name: 'Zimmer 1', ...wanted })
  const { id, code } = (await app.call('/api/v2/vouchers', { method: 'POST', key, body })).json()
  const known = {
    validUntil: Date.parse(wanted.valid_until) as number | null,
    minutesEnd: Number.POSITIVE_INFINITY,
    isRevoked: false,
    name: 'Zimmer 1',
    reference: 'R-1' as string | null,
  }
  const isOver = () =>
    known.isRevoked || (known.validUntil !== null && known.validUntil <= Date.now()) || known.minutesEnd <= Date.now()

  async function patch({ valid_until, ...rest }: Change): Promise<'held' | 'refused'> {
    const time = typeof valid_until === 'number' ? at(valid_until) : valid_until
    const asked = { ...rest, ...(time !== undefined && { valid_until: time }) }
    const answer = await app.call(`/api/v2/vouchers/${id}`, { method: 'PATCH', key, body: JSON.stringify(asked) })
    count(`PATCH ${answer.status} ${answer.json().error ?? ''}`.trim())
    if (answer.status !== 200) {
      expect(answer.status, answer.text).toBe(409)
      if (answer.json().error !== 'valid_until_too_late') return 'refused'
      expect(Date.parse(time as string)).toBeGreaterThan(Math.min(known.minutesEnd, Date.now() + 699 * minute) - minute)
      return 'held'
    }
    if (time !== undefined) known.validUntil = time === null ? null : Date.parse(time)
    Object.assign(known, rest)
    return 'held'
  }

  async function revoke() {
    expect((await app.call(`/api/v2/vouchers/${id}`, { method: 'DELETE', key })).status).toBe(202)
    known.isRevoked = true
  }

  /** Moves everything into the past and the controller's clock ahead, which is the same as waiting. */
  async function pass(ms: number) {
    const by = `interval '${ms} milliseconds'`
    await app.db.query(
      `with ends as (
         update withdrawals set due_at = due_at - ${by}, next_attempt_at = next_attempt_at - ${by}
          where voucher_id = $1 and settled_at is null)
       update vouchers set valid_until = valid_until - ${by}, first_used_at = first_used_at - ${by},
              expires_at = expires_at - ${by}, created_at = created_at - ${by} where site_id = $2 and id = $1`,
      [uuidOf(id), site],
    )
    await simulator.clock({ advanceSeconds: ms / 1_000 })
    if (known.validUntil !== null) known.validUntil -= ms
    known.minutesEnd -= ms
  }

  async function changeAtTheEnd(wanted: Change, delayMs: number) {
    if (isOver() || known.validUntil === null) return
    await pass(Math.round(known.validUntil - Date.now() - 40))
    const untilMs = performance.now() + 160
    const working = (async () => {
      while (performance.now() < untilMs) await withdrawDue(app.context, site)
    })()
    await pause(delayMs)
    const before = known.validUntil
    await patch(wanted)
    await working
    if (before === known.validUntil) await pause(Math.max(0, before - Date.now() + 20))
  }

  async function take(taken: Step): Promise<void> {
    const wasOver = isOver()
    switch (taken.do) {
      case 'change': {
        const result = await patch(taken.change)
        return expect(result).toBe(wasOver ? 'refused' : 'held')
      }
      case 'change at the end':
        return changeAtTheEnd(taken.change, taken.delayMs)
      case 'change and revoke':
        await Promise.all([patch(taken.change), pause(taken.delayMs / 10).then(revoke), withdrawDue(app.context, site)])
        return
      case 'pass':
        return pass(taken.minutes * minute)
      case 'worker dies':
        return dieWithdrawing(taken.after)
      case 'revoke':
        return revoke()
      case 'redeem': {
        await simulator.redeem(code).catch(() => {})
        const used = (await simulator.vouchers()).find(
          (voucher) => voucher.code === code && voucher.authorizedGuestCount > 0,
        )
        if (used && !used.deleted && known.minutesEnd === Number.POSITIVE_INFINITY)
          known.minutesEnd = Date.now() + 704 * minute
        return
      }
      case 'work':
        return withdrawDue(app.context, site)
      case 'sync':
        return void (await syncSite(app.context, site))
    }
  }

  return { id, code, known, isOver, take }
}

/** A worker that stops for good at one of its steps, as if it were killed: what it has committed stays, nothing else happens. */
async function dieWithdrawing(after: number): Promise<void> {
  let stepsLeft = after
  const { promise: death, resolve: die } = Promise.withResolvers<void>()
  const live = async () => {
    if (stepsLeft-- > 0) return
    die()
    await new Promise(() => {})
  }
  const { db, controllers } = app.context
  const mortal: WithdrawContext = {
    ...app.context,
    db: {
      ...db,
      query: (async (text: string, values: unknown[]) => {
        await live()
        return db.query(text, values)
      }) as typeof db.query,
      transaction: async (work) => {
        await live()
        return db.transaction(work)
      },
    },
    controllers: {
      ...controllers,
      inBulk: async (controllerId, work) => {
        await live()
        const result = await controllers.inBulk(controllerId, work)
        await live()
        return result
      },
    },
  }
  await Promise.race([death, withdrawDue(mortal, site)])
}

/** Lets all leases end and all work be done. */
async function settleEverything(id: string): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await app.db.query(
      `update withdrawals set next_attempt_at = now() - interval '1 second'
        where voucher_id = $1 and settled_at is null and due_at <= now()`,
      [uuidOf(id)],
    )
    await withdrawDue(app.context, site)
  }
}

test('after any sequence, the record and the controller are as the last answered request says', {
  timeout: 3_600_000,
}, async () => {
  await assert(
    asyncProperty(array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const { id, code, known, isOver, take } = await checkIn()
      for (const each of steps) await take(each)
      await settleEverything(id)

      const voucher = (await app.call(`/api/v2/vouchers/${id}`, { key })).json()
      const isOnController = (await simulator.vouchers()).some((each) => each.code === code && !each.deleted)
      const { minutesEnd, validUntil, name, reference } = known
      expect({ name: voucher.name, reference: voucher.reference }).toEqual({ name, reference })
      expect(voucher.valid_until).toBe(validUntil === null ? null : new Date(validUntil).toISOString())
      if (minutesEnd > Date.now()) {
        expect(isOnController).toBe(!isOver())
        expect(['valid', 'used'].includes(voucher.status)).toBe(!isOver())
      }
      count(isOver() ? 'ended' : 'lives')
    }),
    { numRuns: size(25, 500) },
  )
  report(
    'sequences and answers',
    [...counts]
      .toSorted()
      .map((counted) => counted.join(': '))
      .join('; '),
  )
  for (const seen of ['PATCH 200', 'PATCH 409 voucher_being_revoked', 'ended', 'lives'])
    expect(counts.get(seen), seen).toBeGreaterThan(0)
})
