import { expect, test } from 'vitest'
import { withdrawDue } from '#domain/revocations/withdraw-due.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedPerson, seedVoucher } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const simulator = await startSimulator('--flavour', 'console')
const site = await seedControlledSite(app.db, simulator, { driver: 'unifi-integration' })
const { key } = await seedKey(app.db, { scope: 'write', name: 'Check-in' })
const { session } = await seedPerson(app.db, { name: 'Anna Weber', siteIds: [site] })

async function historyOf(id: string): Promise<any[]> {
  const answer = await app.call(`/api/v2/vouchers/${id}/history`, { session })
  expect(answer.status).toBe(200)
  return answer.json().history
}

const typesOf = (history: any[]) => history.map(({ type }) => type)

async function checkIn(wanted: object = {}): Promise<string> {
  const body = JSON.stringify({ site_id: site, name: 'Zimmer 12', ...wanted })
  return (await app.call('/api/v2/vouchers', { method: 'POST', key, body })).json().id
}

test('who created, extended and revoked a voucher, newest first', async () => {
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const later = new Date(Date.now() + 2 * 86_400_000).toISOString()
  const id = await checkIn({ valid_until: until, extendable_until: later })
  const change = JSON.stringify({ valid_until: later, name: 'Zimmer 14', reference: null })
  await app.call(`/api/v2/vouchers/${id}`, { method: 'PATCH', session, body: change })
  await app.call(`/api/v2/vouchers/${id}`, { method: 'DELETE', session })

  const [requested, changed, created] = await historyOf(id)
  expect(created).toMatchObject({
    type: 'created',
    by: { kind: 'key', name: 'Check-in' },
    changes: null,
    outcome: null,
  })
  expect(changed).toMatchObject({
    type: 'changed',
    by: { kind: 'staff', name: 'Anna Weber' },
    changed: ['name', 'valid_until'],
    changes: { valid_until: later },
  })
  expect(requested).toMatchObject({
    type: 'revocation_requested',
    by: { kind: 'staff', name: 'Anna Weber' },
    outcome: 'pending',
  })

  await withdrawDue(app.context, site)

  const after = await historyOf(id)
  expect(typesOf(after)).toEqual(['revoked', 'revocation_requested', 'changed', 'created'])
  expect(after[0]).toMatchObject({ reason: 'request', by: null })
  expect(after[1]).toMatchObject({ outcome: 'revoked' })
})

test('a change that an older version recorded, without its old values', async () => {
  const id = await checkIn()
  await app.db.query(
    `insert into audit (id, actor_kind, actor_name, action, target_kind, target_id, details)
     values (gen_random_uuid(), 'command', 'root', 'voucher.changed', 'voucher', $1, '{"name": "Zimmer 14", "validUntil": null}')`,
    [id],
  )

  const [changed] = await historyOf(id)

  expect(changed).toMatchObject({ type: 'changed', changed: ['name', 'valid_until'], changes: { valid_until: null } })
  expect(JSON.stringify(changed)).not.toContain('Zimmer 14')
})

test('a voucher that was used and has run out', async () => {
  const uuid = await seedVoucher(app.db, site, { createdAt: new Date(1000), expiresAt: new Date(3000), usedCount: 1 })
  await app.db.query('update vouchers set first_used_at = $2 where id = $1', [uuid, new Date(2000)])

  const history = await historyOf(`${site}-${uuid}`)

  expect(typesOf(history)).toEqual(['expired', 'first_used', 'created'])
  expect(history.map(({ by }) => by)).toEqual([null, null, null])
})

test.each([
  ['it was deleted on the controller', {}, 'controller'],
  ['its end had come', { valid_until: new Date(4000) }, 'valid_until'],
  ['nobody used it in time', { unused_until: new Date(4000) }, 'unused'],
])('why a voucher was revoked, even when its withdrawal is no longer recorded: %s', async (_, columns, reason) => {
  const uuid = await seedVoucher(app.db, site, { createdAt: new Date(1000), status: 'revoked' })
  for (const [column, value] of Object.entries({ revoked_at: new Date(5000), ...columns }))
    await app.db.query(`update vouchers set ${column} = $2 where id = $1`, [uuid, value])

  const [revoked] = await historyOf(`${site}-${uuid}`)

  expect(revoked).toMatchObject({ type: 'revoked', at: '1970-01-01T00:00:05.000Z', reason })
})

test('a voucher that was revoked before its minutes were over has not run out', async () => {
  const uuid = await seedVoucher(app.db, site, {
    createdAt: new Date(1000),
    expiresAt: new Date(9000),
    status: 'revoked',
  })
  await app.db.query('update vouchers set revoked_at = $2 where id = $1', [uuid, new Date(5000)])

  expect(typesOf(await historyOf(`${site}-${uuid}`))).toEqual(['revoked', 'created'])
})

test('a voucher that was deleted on the controller before its end was not revoked by its end', async () => {
  const uuid = await seedVoucher(app.db, site, { createdAt: new Date(1000), status: 'revoked' })
  await app.db.query('update vouchers set revoked_at = $2, valid_until = $3 where id = $1', [
    uuid,
    new Date(5000),
    new Date(9000),
  ])
  await app.db.query(
    `insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at, outcome, settled_at)
     values ($1, gen_random_uuid(), $2, 'valid_until', $3, $3, 'ended', $3)`,
    [site, uuid, new Date(9000)],
  )

  expect((await historyOf(`${site}-${uuid}`))[0]).toMatchObject({ type: 'revoked', reason: 'controller' })
})

test('404: a text that is no id, and a voucher that does not exist', async () => {
  for (const id of ['x', `${site}-00000000-0000-7000-8000-000000000000`])
    expect((await app.call(`/api/v2/vouchers/${id}/history`, { session })).status).toBe(404)
})
