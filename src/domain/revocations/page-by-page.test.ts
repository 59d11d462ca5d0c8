import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { addConference } from '#test/data/conference.ts'
import { seedKey } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { startStay } from '#test/stay.ts'
import { withdrawalKindSql } from '../record/withdrawals.queries.ts'
import { withdrawDue } from './withdraw-due.ts'

const app = await startApp() // without a worker: withdrawals wait until the test carries them out
const { openSite } = await startStay(app)
const [one, two] = [await seedKey(app.db, { scope: 'write' }), await seedKey(app.db, { scope: 'write' })]

/** A site with vouchers, and a function that revokes the next ones. It returns the id of the revocation. */
async function openConference(count: number) {
  const site = await openSite()
  await addConference(app.db, site, count)
  const { rows } = await app.db.query<{ id: string }>('select id from vouchers where site_id = $1 order by id', [
    site.id,
  ])
  async function revoke({ key }: { key: string }, vouchers: number, change: object = {}): Promise<string> {
    const voucher_ids = rows.splice(0, vouchers).map(({ id }) => `${site.id}-${id}`)
    const body = JSON.stringify({ voucher_ids, ...change })
    const answer = await app.call('/api/v2/revocations', { method: 'POST', key, body })
    expect(answer.status, answer.text).toBe(202)
    return answer.json().id
  }
  return { site, revoke }
}

/** The kind of the withdrawals of a revocation. */
async function kindOf(revocation: string): Promise<string> {
  const { rows } = await app.db.query<{ kinds: string[] }>(
    `select array_agg(distinct ${withdrawalKindSql}) as kinds from withdrawals where revocation_id = $1`,
    [revocation],
  )
  return String(rows[0]?.kinds)
}

const kindsOf = (revocations: string[]) => Promise.all(revocations.map(kindOf))

test('a key that revokes many vouchers page by page has at most 50 small withdrawals on a site', async () => {
  const { site, revoke } = await openConference(200)
  const pages = [await revoke(one, 50), await revoke(one, 50), await revoke(one, 1)]
  const other = await revoke(two, 1)
  await withdrawDue(app.context, site.id)
  const later = await revoke(one, 50)

  expect(await kindsOf(pages)).toEqual(['small', 'bulk', 'bulk'])
  expect(await kindsOf([other, later])).toEqual(['small', 'small'])
})

test('withdrawals of single vouchers count together, and other sites do not count', async () => {
  const [{ revoke }, elsewhere] = [await openConference(60), await openConference(10)]
  const singles: string[] = []
  for (const _ of range(52)) singles.push(await revoke(one, 1))

  expect(await kindsOf(singles)).toEqual([...range(50).map(() => 'small'), 'bulk', 'bulk'])
  expect(await kindOf(await elsewhere.revoke(one, 10))).toBe('small')
})

test('pages that are revoked at the same time are counted one after the other', async () => {
  const { revoke } = await openConference(400)
  const kinds = await kindsOf(await Promise.all(range(8).map(() => revoke(one, 50))))

  expect(kinds.toSorted()).toEqual([...range(7).map(() => 'bulk'), 'small'])
})
