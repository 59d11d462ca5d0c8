import { expect, test, vi } from 'vitest'
import { startApp } from '#test/app.ts'
import { dialects } from '#test/network/simulator.ts'
import { prepareSites } from '#test/site-in-trouble.ts'

const app = await startApp()
const start = await prepareSites(app)

test.each(dialects)(
  '$dialect: a voucher whose answer was lost is found, listed, notified and returned to a repeated request',
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
  '$dialect: a request that made nothing is looked up until its time is over, then a repeat makes a voucher',
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
  '$dialect: the creation of a process that died after the call is taken over when its lease ends',
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

test.each(dialects)('$dialect: no outcome is decided while the controller is out of reach', async (dialect) => {
  const { simulator, create, settle, age, states, codes, probe } = await start(dialect)
  await simulator.fault('created-then-reset')
  await create('k')
  await simulator.behave({ booting: true })
  for (const seconds of [0, 200, 2_000]) {
    await simulator.clock({ advanceSeconds: seconds }) // the voucher becomes as old as its request
    await age(seconds)
    await settle()
  }
  expect(await states()).toEqual(['unknown'])
  await probe()
  await settle()
  expect(await states()).toEqual(['unknown'])
  await simulator.behave({ booting: false })
  await probe()
  await age(0)
  await settle()

  expect([await states(), (await codes()).length]).toEqual([['recorded'], 1])
})

test.each(dialects)(
  '$dialect: while the controller boots, only the first request is unknown; it is decided seconds after the end of the outage',
  async (dialect) => {
    const { simulator, create, settle, age, states, probe, hasOutage, onController } = await start(dialect)
    await simulator.behave({ booting: true })
    const first = await create('k')
    await vi.waitFor(async () => expect(await hasOutage()).toBe(true))
    const second = await create('other', 'Other')
    expect([first, second].map(({ headers }) => headers['voucher-outcome'])).toEqual(['unknown', 'none'])
    expect(second.json().message).toContain('nicht erreichbar')

    await simulator.behave({ booting: false })
    await probe()
    await age(0)
    await settle()
    expect(await states()).toEqual(['unknown', 'rejected'])
    await age(14)
    await app.db.query(`update controller_outages set until = until - interval '6 seconds'`)
    await settle()
    expect(await states()).toEqual(['absent', 'rejected'])
    const again = await create('k')

    expect(await onController()).toEqual([again.json().code])
  },
)

test.each(dialects)(
  '$dialect: a request that may still be under way is not given up because of an earlier or a short outage',
  async (dialect) => {
    const { simulator, create, settle, age, states, siteId } = await start(dialect)
    await simulator.fault('reset')
    await create('k')
    const insertOutage = (since: string, until: string) =>
      app.db.query(
        `insert into controller_outages (controller_id, since, until)
         select controller_id, now() - $2::interval, now() - $3::interval from sites where id = $1`,
        [siteId, since, until],
      )
    await age(60)
    await insertOutage('90 seconds', '30 seconds') // it began before the request was sent
    await settle()
    expect(await states()).toEqual(['unknown'])

    await app.db.query('delete from controller_outages')
    await age(-50) // the request was sent 10 s ago, and the call may have taken 8 s
    await insertOutage('9 seconds', '7 seconds')
    await settle()
    expect(await states()).toEqual(['unknown'])
  },
)

test.each(dialects)('$dialect: an equal voucher of somebody else is not attached to the request', async (dialect) => {
  const { simulator, create, settle, age, states, siteId } = await start(dialect)
  const first = await create('other')
  const { rows } = await app.db.query<{ name: string }>(
    'select controller_name as name from vouchers where site_id = $1 and code = $2',
    [siteId, first.json().code],
  )
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
  '$dialect: a found voucher is attached only after an equal creation is no longer under way',
  async (dialect) => {
    const { simulator, create, settle, age, states, siteId, codes } = await start(dialect)
    await simulator.fault('created-then-reset')
    await create('k')
    await app.db.query(
      `insert into creations (site_id, id, actor, api_key_id, request_hash, controller_name, note, max_uses, expire_minutes, sent_at, lease_until)
     select site_id, gen_random_uuid(), actor, api_key_id, request_hash, controller_name, note, max_uses, expire_minutes, now(), now() + interval '1 minute'
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
