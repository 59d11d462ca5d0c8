import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedPerson } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const { db } = app
const simulator = await startSimulator()
const [here, there] = [await seedControlledSite(db, simulator), await seedControlledSite(db, await startSimulator())]
const admin = await seedPerson(db, { role: 'admin' })
const none = { vouchers_per_day: null, longest_minutes: null }

type Caller = { key?: string; session?: string }
const patch = (path: string, body: object, caller: Caller = admin) =>
  app.call(`/api/v2${path}`, { method: 'PATCH', body: JSON.stringify(body), ...pick(caller) })
const get = (path: string, caller: Caller = admin) => app.call(`/api/v2${path}`, pick(caller))
const create = (caller: Caller, body: object = {}) =>
  app.call('/api/v2/vouchers', {
    method: 'POST',
    body: JSON.stringify({ site_id: here, name: 'Guest', ...body }),
    ...pick(caller),
  })
const pick = ({ key, session }: Caller) => (session === undefined ? { key: key as string } : { session })

test('what is left is the limit less the vouchers of today, for the caller and for the site', async () => {
  const person = await seedPerson(db)
  const other = await seedPerson(db)
  expect((await get(`/sites/${here}/issuing`, person)).json()).toEqual({ longest_minutes: null, day_limits: [] })
  await patch(`/staff/${person.id}`, { vouchers_per_day: 3, longest_minutes: 600 })
  await patch(`/sites/${here}`, { vouchers_per_day: 2, longest_minutes: 480 })
  await create(person)

  const mine = (await get(`/sites/${here}/issuing`, person)).json()
  const ofOther = (await get(`/sites/${here}/issuing`, other)).json()

  const until = expect.stringMatching(/:00\.000Z$/)
  expect(mine).toEqual({
    longest_minutes: 480,
    day_limits: [
      { of: 'person', limit: 3, left: 2, until },
      { of: 'site', limit: 2, left: 1, until },
    ],
  })
  expect(ofOther).toEqual({ longest_minutes: 480, day_limits: [{ of: 'site', limit: 2, left: 1, until }] })
  await patch(`/sites/${here}`, none)
})

test('a site that the caller may not use is not found', async () => {
  const limited = await seedKey(db, { siteIds: [here] })

  const statuses = await Promise.all(
    [here, there, 'x', 999_999].map(async (id) => (await get(`/sites/${id}/issuing`, limited)).status),
  )

  expect(statuses).toEqual([200, 404, 404, 404])
})

test('limits are set, read, changed one by one and removed', async () => {
  const key = await seedKey(db, { scope: 'write' })
  const person = await seedPerson(db)
  for (const [path, reading] of [
    [`/keys/${key.id}`, `/keys/${key.id}`],
    [`/staff/${person.id}`, `/staff/${person.id}`],
    [`/sites/${here}`, `/sites/${here}/settings`],
  ] as const) {
    expect((await get(reading)).json()).toMatchObject(none)
    const both = { vouchers_per_day: 60, longest_minutes: 1_440 }
    expect((await patch(path, both)).json()).toMatchObject(both)
    await patch(path, { vouchers_per_day: 61 })
    expect((await get(reading)).json()).toMatchObject({ vouchers_per_day: 61, longest_minutes: 1_440 })
    await patch(path, { name: 'Other' })
    expect((await get(reading)).json()).toMatchObject({ vouchers_per_day: 61, longest_minutes: 1_440 })
    expect((await patch(path, none)).json()).toMatchObject(none)
  }
  const { rows } = await db.query<{ changes: object }>(
    `select details -> 'changes' as changes from audit where target_id = $1 order by id`,
    [key.id],
  )
  expect(rows.map(({ changes }) => changes)).toContainEqual({ vouchersPerDay: 60, longestMinutes: 1_440 })
})

test.each([0, -1, 1.5, '60', 1_000_001, true, [], {}, 2 ** 53])('%j is no limit', async (value) => {
  const person = await seedPerson(db)
  for (const path of [`/staff/${person.id}`, `/sites/${here}`])
    for (const field of ['vouchers_per_day', 'longest_minutes']) {
      const answer = await patch(path, { [field]: value })
      expect(answer.status).toBe(400)
      expect(answer.json().errors).toMatchObject([{ field }])
    }
})

test('me shows the limits of the key and of the person', async () => {
  const { key, id } = await seedKey(db, { vouchersPerDay: 5, longestMinutes: 60 })
  const person = await seedPerson(db)
  await patch(`/staff/${person.id}`, { vouchers_per_day: 7 })

  expect((await get('/me', { key })).json()).toMatchObject({
    id,
    limits: { vouchers_per_day: 5, longest_minutes: 60 },
  })
  expect((await get('/me', person)).json().limits).toMatchObject({ vouchers_per_day: 7, longest_minutes: null })
})

test('nobody but an administrator lifts the limit of a manager', async () => {
  const manager = await seedPerson(db, { role: 'manager', siteIds: [here] })
  const other = await seedPerson(db, { role: 'manager', siteIds: [here] })
  const desk = await seedPerson(db, { siteIds: [here] })
  const manage = await seedKey(db, { scope: 'manage' })
  await patch(`/staff/${manager.id}`, { vouchers_per_day: 10 })

  const answers = []
  for (const caller of [manager, other, desk, manage]) answers.push(await patch(`/staff/${manager.id}`, none, caller))
  answers.push(await patch('/me', none, manager), await patch(`/sites/${here}`, none, manager))

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 403, 403, 400, 403])
  expect((await get(`/staff/${manager.id}`)).json().vouchers_per_day).toBe(10)
})

test('a manager with a limit gives nobody more than that, neither a new person nor an existing one', async () => {
  const manager = await seedPerson(db, { role: 'manager', siteIds: [here] })
  const desk = await seedPerson(db, { siteIds: [here] })
  await patch(`/staff/${desk.id}`, { vouchers_per_day: 5 })
  await patch(`/staff/${manager.id}`, { vouchers_per_day: 10, longest_minutes: 600 })
  const add = (limits: object) =>
    app.call('/api/v2/staff', {
      method: 'POST',
      session: manager.session,
      body: JSON.stringify({
        name: 'Eva',
        email: `${crypto.randomUUID()}@example.com`,
        role: 'desk',
        site_ids: [here],
        ...limits,
      }),
    })

  const added = await add({})
  expect(added.json()).toMatchObject({ vouchers_per_day: 10, longest_minutes: 600 })
  expect((await add({ vouchers_per_day: 9 })).json()).toMatchObject({ vouchers_per_day: 9, longest_minutes: 600 })
  for (const beyond of [{ vouchers_per_day: 11 }, { vouchers_per_day: null }, { longest_minutes: null }])
    expect((await add(beyond)).json().error).toBe('limits_beyond_own')
  for (const beyond of [none, { vouchers_per_day: 11, longest_minutes: 60 }])
    expect((await patch(`/staff/${desk.id}`, beyond, manager)).json().error).toBe('limits_beyond_own')
  expect((await patch(`/staff/${desk.id}`, { vouchers_per_day: 10, longest_minutes: 60 }, manager)).status).toBe(200)
  expect((await patch(`/staff/${desk.id}`, { name: 'Eva' }, manager)).status).toBe(200)
})

test('a site with a limit of vouchers a day keeps its time zone, unless the caller may raise the limit', async () => {
  const path = `/sites/${there}/guest-info`
  const zone = { time_zone: 'Pacific/Niue' }
  const manager = await seedPerson(db, { role: 'manager', siteIds: [there] })
  const limited = await seedKey(db, { scope: 'manage', longestMinutes: 60 })
  const unlimited = await seedKey(db, { scope: 'manage' })
  await patch(`/sites/${there}`, { vouchers_per_day: 2 })

  const rejected = [await patch(path, zone, manager), await patch(path, zone, limited)]
  const stored = (await get(path)).json()
  const unchanged = await patch(path, { time_zone: null, wifi_name: 'Guests' }, manager)
  const accepted = [await patch(path, zone, unlimited), await patch(path, { time_zone: 'Europe/Vienna' })]
  await patch(`/sites/${there}`, { vouchers_per_day: null, longest_minutes: 60 })
  accepted.push(await patch(path, zone, manager))

  for (const answer of rejected) expect([answer.status, answer.json().error]).toEqual([403, 'time_zone_fixed'])
  expect(stored.time_zone_is_default).toBe(true)
  expect([unchanged.status, unchanged.json().wifi_name]).toEqual([200, 'Guests'])
  expect(accepted.map(({ status }) => status)).toEqual([200, 200, 200])
  await patch(`/sites/${there}`, none)
})

test('a key with limits of its own can lower the limits of a site, but not raise or remove them', async () => {
  const path = `/sites/${there}`
  const limited = await seedKey(db, { scope: 'manage', siteIds: [there], vouchersPerDay: 100 })
  const unlimited = await seedKey(db, { scope: 'manage', siteIds: [there] })
  await patch(path, { vouchers_per_day: 10, longest_minutes: 60 })

  for (const beyond of [none, { vouchers_per_day: 11 }, { longest_minutes: null, vouchers_per_day: 1 }]) {
    const answer = await patch(path, beyond, limited)
    expect([answer.status, answer.json().error]).toEqual([403, 'limits_beyond_own'])
  }

  expect((await get(`${path}/settings`)).json()).toMatchObject({ vouchers_per_day: 10, longest_minutes: 60 })
  expect((await patch(path, { vouchers_per_day: 9, name: 'There' }, limited)).json().vouchers_per_day).toBe(9)
  expect((await patch(path, none, unlimited)).json()).toMatchObject(none)
})

test('API v1 answers 429 in German until the day ends, and 400 for a duration that is too long', async () => {
  const { key } = await seedKey(db, { scope: 'write', vouchersPerDay: 1, longestMinutes: 60 })
  const send = (body: object) =>
    app.call('/api/vouchers.php', {
      method: 'POST',
      key,
      body: JSON.stringify({ site_id: here, name: 'Gast', ...body }),
    })

  const tooLong = await send({ expire_minutes: 61 })
  const made = await send({ expire_minutes: 60 })
  const rejected = await send({ expire_minutes: 60 })

  expect([tooLong.status, tooLong.json()]).toEqual([
    400,
    { error: 'invalid_request', message: 'expire_minutes muss zwischen 1 und 60 liegen' },
  ])
  expect(made.status).toBe(201)
  expect([rejected.status, rejected.json()]).toEqual([
    429,
    {
      error: 'daily_limit_reached',
      message: 'Das Tageslimit für Voucher ist erreicht (1 am Tag). Es wurde kein Voucher erstellt.',
    },
  ])
  expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0)
  expect(rejected.headers['voucher-outcome']).toBe('none')
})

test('a stay is not extended beyond the longest duration, counted from its creation, nor left without an end', async () => {
  const { key, id } = await seedKey(db, { scope: 'write' })
  const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const stay = (await create({ key }, { valid_until: ahead(60), extendable_until: ahead(9_000) })).json()
  await patch(`/keys/${id}`, { longest_minutes: 180 })
  const change = (body: object) => patch(`/vouchers/${stay.id}`, body, { key })

  const tooLate = await change({ valid_until: ahead(200) })
  const withoutEnd = await change({ valid_until: null })
  const ends = (await get(`/vouchers/${stay.id}/ends?days=1`, { key })).json()

  for (const answer of [tooLate, withoutEnd]) {
    expect(answer.status).toBe(400)
    expect(answer.json().errors).toMatchObject([{ field: 'valid_until', code: 'too_late' }])
  }
  expect(ends.ends).toMatchObject([{ days: 1, error: 'valid_until_beyond_limit' }])
  expect(Date.parse(ends.latest_valid_until)).toBeLessThanOrEqual(Date.parse(stay.created_at) + 181 * 60_000)
  expect((await change({ valid_until: ends.latest_valid_until })).status).toBe(200)
  expect((await change({ valid_until: ahead(30) })).status).toBe(200)
})

test('a stay that is longer than a new limit can still be shortened', async () => {
  const { key, id } = await seedKey(db, { scope: 'write' })
  const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const stay = (await create({ key }, { valid_until: ahead(9_000) })).json()
  await patch(`/keys/${id}`, { longest_minutes: 60 })

  expect((await patch(`/vouchers/${stay.id}`, { valid_until: ahead(8_000) }, { key })).status).toBe(200)
})
