import { describe, expect, test } from 'vitest'
import { setGuestInfo } from '#domain/sites/guest-info.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedSite, seedVoucher, testActor } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })

const day = 24 * 60
const minutesAhead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const later = (end: string, days: number) => new Date(Date.parse(end) + days * day * 60_000).toISOString()
const uuidOf = (id: string) => id.slice(id.indexOf('-') + 1)
const endsOf = async (id: string, query = 'days=1&days=2&days=7') => {
  const answer = await app.call(`/api/v2/vouchers/${id}/ends?${query}`, { key })
  expect(answer.status, answer.text).toBe(200)
  return answer.json()
}
const change = (id: string, body: object) =>
  app.call(`/api/v2/vouchers/${id}`, { method: 'PATCH', key, body: JSON.stringify(body) })

describe.each(['unifi-integration', 'unifi-classic'])('%s', async (driver) => {
  const controller = await startSimulator('--flavour', 'console')
  const site = await seedControlledSite(app.db, controller, { driver })
  await setGuestInfo(app.context, testActor, site, { timeZone: 'UTC' })
  const checkIn = async (wanted: object) => {
    const body = JSON.stringify({ site_id: site, name: 'Zimmer 12', ...wanted })
    const answer = await app.call('/api/v2/vouchers', { method: 'POST', key, body })
    expect(answer.status, answer.text).toBe(201)
    return answer.json()
  }
  /** A guest signs in with the voucher, and the service asks the controller. */
  const use = async (code: string) => {
    await controller.redeem(code)
    await app.call(`/api/v2/vouchers/lookup?code=${code}&site_id=${site}&fresh=true`, { key })
  }
  const stay = () => checkIn({ valid_until: minutesAhead(2 * day), extendable_until: minutesAhead(5 * day) })

  test.each(['unused', 'used'])('a stay that is %s gets two days more with the same code', async (state) => {
    const { id, code, valid_until: end } = await stay()
    if (state === 'used') await use(code)

    const { ends_at, ends } = await endsOf(id)
    expect(ends_at).toBe(end)
    expect(ends).toEqual([
      { valid_until: later(end, 1), days: 1, direction: 'later', error: null },
      { valid_until: later(end, 2), days: 2, direction: 'later', error: null },
      { valid_until: later(end, 7), days: 7, direction: 'later', error: 'valid_until_too_late' },
    ])
    const extended = await change(id, { valid_until: ends[1].valid_until, direction: 'later' })
    expect([extended.status, extended.json().ends_at, extended.json().code]).toEqual([200, later(end, 2), code])
    expect((await controller.vouchers()).filter((voucher) => voucher.code === code && !voucher.deleted)).toHaveLength(1)
  })

  test('an unused duration has no end to extend, and any end is an earlier one', async () => {
    const { id } = await checkIn({ expire_minutes: 7 * day })
    const at = minutesAhead(3 * day)

    expect(await endsOf(id, `days=1&until=${at.slice(0, 16)}`)).toEqual({
      time_zone: 'UTC',
      ends_at: null,
      latest_valid_until: null,
      ends: [{ valid_until: `${at.slice(0, 16)}:00.000Z`, days: null, direction: 'earlier', error: null }],
    })
    const rejected = [
      await change(id, { valid_until: at, direction: 'later' }),
      await change(id, { valid_until: null, direction: 'earlier' }),
    ]
    expect(rejected.map((answer) => [answer.status, answer.json().error])).toEqual([
      [409, 'valid_until_not_later'],
      [409, 'valid_until_not_earlier'],
    ])
    for (const answer of rejected) expect(answer.json().message).toMatch(/^The voucher has no end yet/)
    expect((await change(id, { valid_until: at, direction: 'earlier' })).json().ends_at).toBe(at)
  })

  test('a used duration cannot work longer, but it can end earlier', async () => {
    const { id, code } = await checkIn({ expire_minutes: 7 * day })
    await use(code)

    const { ends_at: end, latest_valid_until: latest, ends } = await endsOf(id)
    expect([latest, ends.map(({ error }: { error: string }) => error)]).toEqual([
      end,
      Array(3).fill('valid_until_too_late'),
    ])
    expect((await change(id, { valid_until: later(end, 1), direction: 'later' })).status).toBe(409)
    const earlier = later(end, -2)
    expect((await change(id, { valid_until: earlier, direction: 'later' })).json().error).toBe('valid_until_not_later')
    expect((await change(id, { valid_until: earlier, direction: 'earlier' })).json().ends_at).toBe(earlier)
  })

  test('whatever a colleague did meanwhile, `later` never makes the end earlier', async () => {
    const { id, valid_until: end } = await stay()
    const [seen] = (await endsOf(id)).ends
    await change(id, { valid_until: later(end, 2) }) // the colleague is faster

    const refused = await change(id, { valid_until: seen.valid_until, direction: 'later' })
    expect([refused.status, refused.json().error]).toEqual([409, 'valid_until_not_later'])
    expect(refused.json().message).toContain(later(end, 2))
    expect((await change(id, { valid_until: later(end, 2), direction: 'later' })).status).toBe(409)
    expect((await change(id, { valid_until: later(end, 3), direction: 'earlier' })).json().error).toBe(
      'valid_until_not_earlier',
    )
    expect((await endsOf(id)).ends_at).toBe(later(end, 2))
  })
})

test('days are calendar days of the site: 11:00 stays 11:00 when winter time begins', async () => {
  const site = await seedSite(app.db)
  await setGuestInfo(app.context, testActor, site, { timeZone: 'Europe/Vienna' })
  const id = `${site}-${await seedVoucher(app.db, site)}`
  await app.db.query(`update vouchers set valid_until = '2098-10-25T09:00:00Z' where id = $1`, [uuidOf(id)])

  const { time_zone, ends } = await endsOf(id, 'days=1&days=7&until=2098-10-27T11:00')
  expect(time_zone).toBe('Europe/Vienna')
  expect(ends.map(({ valid_until, days }: any) => [valid_until, days])).toEqual([
    ['2098-10-26T10:00:00.000Z', 1],
    ['2098-11-01T10:00:00.000Z', 7],
    ['2098-10-27T10:00:00.000Z', 2],
  ])
})

test('an ended voucher gets no new end, and a past time is no end', async () => {
  const site = await seedSite(app.db)
  const [ended, valid] = [
    `${site}-${await seedVoucher(app.db, site, { status: 'expired', expiresAt: new Date() })}`,
    `${site}-${await seedVoucher(app.db, site)}`,
  ]

  expect((await endsOf(ended, 'days=1')).ends).toMatchObject([{ days: 1, error: 'voucher_ended' }])
  expect((await endsOf(valid, 'until=2020-01-01T11:00')).ends).toMatchObject([{ error: 'valid_until_passed' }])
})

test.each([
  'days=0',
  'days=x',
  'until=tomorrow',
  'until=2027-02-28',
  'until=2026-13-01T11:00',
  'until=2027-02-31T11:00',
  'until=2027-02-28T24:00',
  'until=2027-02-28T11:60',
  'until=2026-11-27T11:00Z',
])('400: %s', async (query) => {
  const site = await seedSite(app.db)
  const id = `${site}-${await seedVoucher(app.db, site)}`

  const answer = await app.call(`/api/v2/vouchers/${id}/ends?${query}`, { key })
  expect(answer.status).toBe(400)
  expect(answer.json().errors[0].field).toBe(query.startsWith('days') ? 'days[0]' : 'until')
})

test('400: a direction without an end, or an unknown one; the voucher stays as it is', async () => {
  const site = await seedSite(app.db)
  const id = `${site}-${await seedVoucher(app.db, site)}`

  for (const body of [{ direction: 'later' }, { direction: 'up', valid_until: minutesAhead(60) }])
    expect((await change(id, body)).status).toBe(400)
  expect((await endsOf(id)).ends_at).toBeNull()
})

test('404: a voucher that does not exist, and one of another site', async () => {
  const [mine, other] = [await seedSite(app.db), await seedSite(app.db)]
  const limited = await seedKey(app.db, { scope: 'read', siteIds: [mine] })
  const id = `${other}-${await seedVoucher(app.db, other)}`

  for (const path of [id, `${mine}-${uuidOf(id)}`, 'nonsense'])
    expect((await app.call(`/api/v2/vouchers/${path}/ends`, { key: limited.key })).status).toBe(404)
})
