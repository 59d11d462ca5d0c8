import { expect, test } from 'vitest'
import { addWebhook } from '#domain/notifications/add-webhook.ts'
import { settleCreations } from '#domain/vouchers/settle-creations.ts'
import { syncSite } from '#domain/vouchers/sync-site.ts'
import { startApp } from '#test/app.ts'
import { dialects } from '#test/dialects.ts'
import { testKeyring } from '#test/environment.ts'
import { seedControlledSite, seedKey } from '#test/seed.ts'
import { startSimulator } from '#test/simulator.ts'

const app = await startApp()
const { key } = await seedKey(app.db, { scope: 'write' })
await addWebhook(app.db, testKeyring, {
  name: 'Sink',
  format: 'generic',
  url: 'https://sink.invalid',
  siteIds: undefined,
})

type Listed = { voucher_code: string; voucher_name: string; status: string }

async function start({ driver, flavour }: (typeof dialects)[0]) {
  const simulator = await startSimulator('--flavour', flavour)
  const siteId = await seedControlledSite(app.db, simulator, { driver })
  const create = async (idempotencyKey: string, name = 'Gast') => {
    const headers = { 'idempotency-key': `${siteId}-${idempotencyKey}` }
    const body = JSON.stringify({ site_id: siteId, name, max_uses: 1, expire_minutes: 60 })
    return app.call('/api/vouchers.php', { method: 'POST', key, headers, body })
  }
  expect((await create('first', 'First')).status).toBe(201)
  return {
    simulator,
    siteId,
    create,
    settle: () => settleCreations(app.context),
    sync: () => syncSite(app.context, siteId),
    /** As if the request had been sent earlier. */
    age: (seconds: number) =>
      app.db.query(
        `update creations set lease_until = now(), sent_at = sent_at - make_interval(secs => $2)
          where site_id = $1 and settled_at is null`,
        [siteId, seconds],
      ),
    states: async () =>
      (
        await app.db.query<{ state: string }>('select state from creations where site_id = $1 order by id', [siteId])
      ).rows
        .map(({ state }) => state)
        .slice(1),
    valid: async () =>
      (await app.call(`/api/vouchers.php?site_id=${siteId}`, { key }))
        .json()
        .vouchers.filter((voucher: Listed) => !voucher.voucher_name.includes('First') && voucher.status === 'valid')
        .map((voucher: Listed) => voucher.voucher_code),
    codes: async () =>
      (await app.call(`/api/vouchers.php?site_id=${siteId}`, { key }))
        .json()
        .vouchers.filter((voucher: Listed) => !voucher.voucher_name.includes('First'))
        .map((voucher: Listed) => voucher.voucher_code),
    onController: async () =>
      (await simulator.vouchers())
        .filter(({ name, deleted }) => !deleted && !name.includes('First'))
        .map(({ code }) => code),
    events: async () => (await app.db.query('select 1 from events where site_id = $1', [siteId])).rows.length - 1,
  }
}

test.each(dialects)(
  '$dialect: a voucher whose answer was lost is found, listed, notified, and is the answer',
  async (dialect) => {
    const { simulator, create, settle, codes, onController, states, events } = await start(dialect)
    await simulator.fault('created-then-reset')
    const lost = await create('k')
    const meanwhile = await create('k')
    await settle()
    const again = await create('k')

    expect([lost.status, lost.headers['voucher-outcome'], meanwhile.status]).toEqual([500, 'unknown', 409])
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true'])
    expect(await onController()).toEqual([again.json().code])
    expect(await codes()).toEqual([again.json().code])
    expect([await states(), await events()]).toEqual([['recorded'], 1])
  },
)

test.each(dialects)(
  '$dialect: nothing was made: looked for until the time is over, then the next attempt makes one',
  async (dialect) => {
    const { simulator, create, settle, age, onController, states } = await start(dialect)
    await simulator.fault('reset')
    await create('k')
    await settle()
    await age(60)
    await settle()
    expect(await states()).toEqual(['unknown'])
    expect((await create('k')).status).toBe(409)
    await age(61)
    await settle()
    expect(await states()).toEqual(['absent'])
    const again = await create('k')

    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined])
    expect(await onController()).toEqual([again.json().code])
  },
)

test.each(dialects)(
  '$dialect: a process that died after the call: its creation is taken over when its lease is over',
  async (dialect) => {
    const { simulator, create, settle, age, siteId, onController, codes } = await start(dialect)
    await simulator.fault('created-then-reset')
    await create('k')
    await app.db.query(
      `update creations set state = 'open', lease_until = now() + interval '1 hour' where site_id = $1 and settled_at is null`,
      [siteId],
    )
    await settle()
    expect(await codes()).toEqual([])
    await age(0)
    await settle()

    expect(await codes()).toEqual(await onController())
  },
)

test.each(dialects)('$dialect: while the controller is away nothing is concluded', async (dialect) => {
  const { simulator, create, settle, age, states, codes } = await start(dialect)
  await simulator.fault('created-then-reset')
  await create('k')
  await simulator.behave({ booting: true })
  for (const seconds of [0, 200, 2_000]) {
    await age(seconds)
    await settle()
  }
  expect(await states()).toEqual(['unknown'])
  await simulator.behave({ booting: false })
  await age(0)
  await settle()

  expect([await states(), (await codes()).length]).toEqual([['recorded'], 1])
})

test.each(dialects)('$dialect: an equal voucher of somebody else is not taken for it', async (dialect) => {
  const { simulator, create, settle, age, states, siteId } = await start(dialect)
  const first = await create('other')
  const { rows } = await app.db.query<{ name: string }>('select name from vouchers where site_id = $1 and code = $2', [
    siteId,
    first.json().code,
  ])
  const equal = { internalReference: 'default', name: rows[0]?.name, timeLimitMinutes: 60, authorizedGuestLimit: 1 }
  await simulator.clock({ advanceSeconds: -600 })
  await simulator.addVoucher(equal) // ten minutes old
  await simulator.clock({ advanceSeconds: 600 })
  if (dialect.driver === 'unifi-classic') await simulator.addVoucher(equal) // just now, by another administrator
  await simulator.fault('reset')
  await create('k')
  await age(121)
  await settle()

  expect(await states()).toEqual(['recorded', 'absent'])
})

test.each(dialects)(
  '$dialect: while another makes the same, what is found may be his: looked at later',
  async (dialect) => {
    const { simulator, create, settle, age, states, siteId, codes } = await start(dialect)
    await simulator.fault('created-then-reset')
    await create('k')
    await app.db.query(
      `insert into creations (site_id, id, actor, api_key_id, request_hash, name, max_uses, expire_minutes, sent_at, lease_until)
     select site_id, gen_random_uuid(), actor, api_key_id, request_hash, name, max_uses, expire_minutes, now(), now() + interval '1 minute'
       from creations where site_id = $1 and state = 'unknown'`,
      [siteId],
    )
    await settle()
    expect(await codes()).toEqual([])
    await app.db.query(`delete from creations where site_id = $1 and state = 'open'`, [siteId])
    await age(0)
    await settle()

    expect([await states(), (await codes()).length]).toEqual([['recorded'], 1])
  },
)

/** A creation that was given up although its voucher will turn up. */
async function givenUp(one: Awaited<ReturnType<typeof start>>) {
  await one.simulator.fault('created-then-reset')
  await one.create('k')
  await one.simulator.fault('empty', { on: 'list' })
  await one.age(121)
  await one.settle()
  expect(await one.states()).toEqual(['absent'])
  await one.simulator.clock({ advanceSeconds: 5 }) // what is made from now on is of another second
}

test.each(dialects)('$dialect: a voucher that turns up late is attached to its request by sync', async (dialect) => {
  const one = await start(dialect)
  await givenUp(one)
  await one.sync()
  const again = await one.create('k')

  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true'])
  expect(await one.onController()).toEqual([again.json().code])
  expect([await one.codes(), await one.states(), await one.events()]).toEqual([[again.json().code], ['recorded'], 1])
})

test.each(dialects)(
  '$dialect: when its client made another one since, the unused surplus is withdrawn',
  async (dialect) => {
    const one = await start(dialect)
    await givenUp(one)
    const second = await one.create('k')
    expect(second.status).toBe(201)
    expect(await one.onController()).toHaveLength(2)
    await one.sync()
    await one.sync()

    expect(await one.onController()).toEqual([second.json().code])
    expect(await one.valid()).toEqual([second.json().code])
  },
)

test.each(dialects)(
  '$dialect: on a site that adopts, late ones are attached or withdrawn all the same',
  async (dialect) => {
    const one = await start(dialect)
    await app.db.query('update sites set adopts_vouchers = true where id = $1', [one.siteId])
    await givenUp(one)
    await one.sync()
    expect(await one.states()).toEqual(['recorded'])
    const two = await start(dialect)
    await app.db.query('update sites set adopts_vouchers = true where id = $1', [two.siteId])
    await givenUp(two)
    const second = await two.create('k')
    await two.sync()

    expect(await two.onController()).toEqual([second.json().code])
  },
)

test.each(dialects)(
  '$dialect: while another makes the same, a surplus is left alone: it may be his',
  async (dialect) => {
    const one = await start(dialect)
    await givenUp(one)
    await one.create('k')
    await app.db.query(
      `insert into creations (site_id, id, actor, api_key_id, request_hash, name, max_uses, expire_minutes, sent_at, lease_until)
     select site_id, gen_random_uuid(), actor, api_key_id, request_hash, name, max_uses, expire_minutes, now(), now() + interval '1 minute'
       from creations where site_id = $1 and state = 'absent'`,
      [one.siteId],
    )
    await one.sync()
    expect(await one.onController()).toHaveLength(2)
    await app.db.query(`delete from creations where site_id = $1 and state = 'open'`, [one.siteId])
    await one.sync()

    expect(await one.onController()).toHaveLength(1)
  },
)

test.each(dialects)('$dialect: a surplus whose deletion fails is withdrawn the next time', async (dialect) => {
  const one = await start(dialect)
  await givenUp(one)
  const second = await one.create('k')
  await one.simulator.fault('server-error', { on: 'delete' })
  await one.sync()
  expect([await one.valid(), (await one.onController()).length]).toEqual([[second.json().code], 2])
  await one.sync()

  expect(await one.onController()).toEqual([second.json().code])
})

test.each(dialects)('$dialect: a surplus that a guest uses stays, and is recorded', async (dialect) => {
  const one = await start(dialect)
  await givenUp(one)
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
