import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { dialects } from '#test/network/simulator.ts'
import { giveUp, prepareSites, type SiteInTrouble } from '#test/site-in-trouble.ts'

const app = await startApp()
const start = await prepareSites(app)
const { settleSeconds } = app.context.config

test.each(dialects)('$dialect: a voucher that turns up late is attached to its request by sync', async (dialect) => {
  const one = await start(dialect)
  await giveUp(one)
  await one.sync()
  const again = await one.create('k')

  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true'])
  expect(await one.onController()).toEqual([again.json().code])
  expect([await one.codes(), await one.states(), await one.events()]).toEqual([[again.json().code], ['recorded'], 1])
})

/** Sites where it is certain who made a voucher: the classic API shows the user name, or the name has a tag. */
const certain = [
  ...dialects.slice(1),
  ...dialects.map((dialect) => ({ ...dialect, dialect: `${dialect.dialect}, tagged`, tagged: true })),
]
const uncertain = [
  ...dialects.slice(0, 1),
  ...dialects.slice(1).map((dialect) => ({
    ...dialect,
    dialect: `${dialect.dialect}, by a display name`,
    behaviour: { adminName: 'Front desk' },
  })),
]

test.each(certain)(
  '$dialect: an unused late voucher is withdrawn if its client has made another one since',
  async (dialect) => {
    const one = await start(dialect)
    await giveUp(one)
    const second = await one.create('k')
    expect(second.status).toBe(201)
    expect(await one.onController()).toHaveLength(2)
    await one.sync()
    await one.withdraw()

    expect(await one.onController()).toEqual([second.json().code])
    expect(await one.valid()).toEqual([second.json().code])
    const { rows } = await app.db.query(
      'select sum(created) as created, sum(revoked) as revoked from site_days where site_id = $1',
      [one.siteId],
    )
    expect(rows).toEqual([{ created: '3', revoked: '1' }])
  },
)

test.each(certain)(
  '$dialect: a voucher that was made after the decision at the end of an outage, but within the settle window, is withdrawn',
  async (dialect) => {
    const one = await start(dialect)
    await giveUp(one)
    await app.db.query(
      `update creations set sent_at = now() - interval '60 seconds', settled_at = now() - interval '38 seconds'
        where site_id = $1 and state = 'absent'`,
      [one.siteId],
    )
    const second = await one.create('k')
    expect(second.status).toBe(201)
    await one.sync()
    await one.withdraw()

    expect(await one.onController()).toEqual([second.json().code])
  },
)

/** The seconds from the request, and from now, to the next sync of the site. */
async function nextSync(one: SiteInTrouble) {
  const { rows } = await app.db.query<{ sinceSent: number; fromNow: number }>(
    `select extract(epoch from s.next_sync_at - c.sent_at)::float as "sinceSent",
            extract(epoch from s.next_sync_at - now())::float as "fromNow"
       from sites s join creations c on c.site_id = s.id and c.name = 'Gast' where s.id = $1`,
    [one.siteId],
  )
  return rows[0] as { sinceSent: number; fromNow: number }
}

test.each(dialects)(
  '$dialect: after a decision at the end of an outage, one more sync follows at the end of the settle window and finds a late voucher',
  async (dialect) => {
    const one = await start(dialect)
    await one.simulator.fault('reset')
    await one.create('k')
    await one.age(30)
    await app.db.query(
      `insert into controller_outages (controller_id, since, until)
       select controller_id, now() - interval '25 seconds', now() - interval '6 seconds' from sites where id = $1`,
      [one.siteId],
    )
    await one.settle()
    expect(await one.states()).toEqual(['absent'])
    expect((await nextSync(one)).fromNow).toBeLessThanOrEqual(10)
    await one.sync() // 10 s after the decision: there is no voucher yet
    expect((await nextSync(one)).sinceSent).toBeCloseTo(settleSeconds + 1, 1)

    await makeEqual(one, 1, 'api')
    await one.sync()
    expect(await one.states()).toEqual(['recorded'])
    expect((await nextSync(one)).fromNow).toBeGreaterThan(240)
  },
)

test.each(dialects)(
  '$dialect: no sync is added for a request that was given up after the settle window',
  async (dialect) => {
    const one = await start(dialect)
    await one.simulator.fault('reset')
    await one.create('k')
    await one.age(settleSeconds + 1)
    await one.settle()
    expect(await one.states()).toEqual(['absent'])
    await one.sync()

    expect((await nextSync(one)).fromNow).toBeGreaterThan(240)
  },
)

test.each(uncertain)("$dialect: a surplus that may be somebody else's is reported, not deleted", async (dialect) => {
  const one = await start(dialect)
  await giveUp(one)
  await one.create('k')
  await one.sync()
  await one.withdraw()
  await one.sync()
  const { rows: audit } = await app.db.query(
    `select details from audit where action = 'voucher.surplus_suspected' and target_id = $1`,
    [String(one.siteId)],
  )
  const { rows: site } = await app.db.query('select unrecorded from sites where id = $1', [one.siteId])

  expect(await one.onController()).toHaveLength(2)
  expect(audit).toEqual([{ details: { creationId: expect.any(String), controllerVoucherId: expect.anything() } }])
  expect(site).toEqual([{ unrecorded: 1 }])
})

test.each(certain)(
  '$dialect: late vouchers are attached or withdrawn on a site that adopts vouchers as well',
  async (dialect) => {
    const one = await start(dialect)
    await app.db.query('update sites set adopts_vouchers = true where id = $1', [one.siteId])
    await giveUp(one)
    await one.sync()
    expect(await one.states()).toEqual(['recorded'])
    const two = await start(dialect)
    await app.db.query('update sites set adopts_vouchers = true where id = $1', [two.siteId])
    await giveUp(two)
    const second = await two.create('k')
    await two.sync()
    await two.withdraw()

    expect(await two.onController()).toEqual([second.json().code])
  },
)

test.each(dialects.slice(1))(
  '$dialect: a surplus is left alone while another creation of the same name is under way',
  async (dialect) => {
    const one = await start(dialect)
    await giveUp(one)
    await one.create('k')
    await app.db.query(
      `insert into creations (site_id, id, actor, api_key_id, request_hash, controller_name, note, max_uses, expire_minutes, sent_at, lease_until)
     select site_id, gen_random_uuid(), actor, api_key_id, request_hash, controller_name, note, max_uses, expire_minutes, now(), now() + interval '1 minute'
       from creations where site_id = $1 and state = 'absent'`,
      [one.siteId],
    )
    await one.sync()
    await one.withdraw()
    expect(await one.onController()).toHaveLength(2)
    await app.db.query(`delete from creations where site_id = $1 and state = 'open'`, [one.siteId])
    await one.sync()
    await one.withdraw()

    expect(await one.onController()).toHaveLength(1)
  },
)

test.each(certain)('$dialect: a surplus whose deletion fails is withdrawn the next time', async (dialect) => {
  const one = await start(dialect)
  await giveUp(one)
  const second = await one.create('k')
  await one.simulator.fault('server-error', { on: 'delete' })
  await one.sync()
  await one.withdraw()
  expect(await one.onController()).toHaveLength(2)
  await app.db.query(`update withdrawals set next_attempt_at = now() - interval '1 second' where site_id = $1`, [
    one.siteId,
  ])
  await one.withdraw()

  expect(await one.onController()).toEqual([second.json().code])
  expect(await one.valid()).toEqual([second.json().code])
})

/** Makes equal vouchers, as another administrator or another program with the same account would. */
async function makeEqual(one: SiteInTrouble, count: number, adminName = 'other-admin') {
  const { rows } = await app.db.query<{ name: string }>(
    `select controller_name as name from creations where site_id = $1 and name = 'Gast'`,
    [one.siteId],
  )
  const equal = { internalReference: 'default', name: rows[0]?.name, timeLimitMinutes: 60, authorizedGuestLimit: 1 }
  await one.simulator.addVoucher({ ...equal, count, adminName })
}

test.each(dialects)('$dialect: sync deletes no voucher that others made, whatever its name', async (dialect) => {
  const one = await start(dialect)
  await one.simulator.fault('reset')
  await one.create('k')
  await one.age(121)
  await one.settle()
  expect((await one.create('k')).status).toBe(201)
  await makeEqual(one, 3)
  for (let i = 0; i < 4; i++) {
    await one.sync()
    await one.withdraw()
  }

  expect(await one.onController()).toHaveLength(4)
})

test.each(dialects)(
  '$dialect: vouchers that were acknowledged after a backup are not deleted when it is restored',
  async (dialect) => {
    const one = await start(dialect)
    await giveUp(one)
    await one.create('k')
    await one.sync() // handles the surplus of the creation that was given up
    await one.withdraw()
    const before = await one.onController()
    const acknowledged = await Promise.all([1, 2, 3, 4].map(async (n) => (await one.create(`later-${n}`)).json().code))
    await app.db.query(
      `with lost as (delete from vouchers where site_id = $1 and code = any ($2))
       delete from creations where site_id = $1 and answer->>'code' = any ($2)`,
      [one.siteId, acknowledged],
    )
    await app.db.query(`update creations set surplus = null where site_id = $1`, [one.siteId])
    for (let i = 0; i < 5; i++) {
      await one.sync()
      await one.withdraw()
    }

    expect((await one.onController()).toSorted()).toEqual([...before, ...acknowledged].toSorted())
  },
)

test.each(dialects)(
  '$dialect: a voucher that others made later is not attached to a request that was given up',
  async (dialect) => {
    const one = await start(dialect)
    await one.simulator.fault('reset')
    await one.create('k')
    await one.age(3_600)
    await one.settle()
    await app.db.query(`update creations set settled_at = settled_at - interval '50 minutes' where site_id = $1`, [
      one.siteId,
    ])
    await makeEqual(one, 1, 'api')
    await one.sync()

    expect([await one.states(), await one.codes()]).toEqual([['absent'], []])
  },
)

test.each(dialects)('$dialect: a surplus that a guest uses stays, and is recorded', async (dialect) => {
  const one = await start(dialect)
  await giveUp(one)
  const [late] = await one.onController()
  const second = await one.create('k')
  await one.simulator.redeem(late as string)
  await one.sync()
  await one.sync()

  expect((await one.codes()).toSorted()).toEqual([late, second.json().code].toSorted())
  expect((await one.onController()).toSorted()).toEqual([late, second.json().code].toSorted())
  const { rows } = await app.db.query(
    `select actor_kind from audit where action = 'voucher.surplus_in_use' and target_id = $1`,
    [String(one.siteId)],
  )
  expect(rows).toEqual([{ actor_kind: 'service' }])
})
