import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedSite, seedWebhook } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import type { Requester } from './actor.ts'
import { createBatch } from './batches/create-batch.ts'
import { createVoucher, noOptions } from './creating/create-voucher.ts'
import { runBatch } from './creating/run-batch.ts'
import { chooseByFilter, revokeVouchers } from './revocations/revoke-vouchers.ts'
import { withdrawDue } from './revocations/withdraw-due.ts'
import { addSite } from './sites/add-site.ts'

const app = await startApp()
const { db, context: ctx } = app
const site = await seedControlledSite(db, await startSimulator())
const otherSite = await seedSite(db)
await seedWebhook(db)

const limits = { maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }

/** Inserts a staff member that may use one site. */
async function hireStaff(name: string): Promise<Requester> {
  const id = uuidv7()
  await db.query(`insert into staff (id, name, email, role) values ($1, $2, $3, 'desk')`, [
    id,
    name,
    `${id}@example.org`,
  ])
  await db.query('insert into staff_sites (staff_id, site_id) values ($1, $2)', [id, site])
  return { kind: 'staff', id, name, role: 'desk', allSites: false }
}

const request = (actor: Requester, siteId: number, idempotencyKey?: string) => ({
  actor,
  siteId,
  idempotencyKey,
  contents: { siteId },
  name: 'Gast',
  options: { limits, ...noOptions, reference: 'R-1' },
})

test('a staff member creates a voucher, once for each Idempotency-Key', async () => {
  const anna = await hireStaff('Anna')

  const first = await createVoucher(ctx, request(anna, site, 'check-in-1'))
  const again = await createVoucher(ctx, request(anna, site, 'check-in-1'))
  const ofAnother = await createVoucher(ctx, request(await hireStaff('Ben'), site, 'check-in-1'))

  expect([first.isRepeat, again.isRepeat, ofAnother.isRepeat]).toEqual([false, true, false])
  expect(again.created).toEqual(first.created)
  expect(ofAnother.created.voucherId).not.toBe(first.created.voucherId)
  const { rows } = await db.query(
    'select api_key_id, staff_id, (select data from events order by created_at limit 1) as event from vouchers where id = $1',
    [first.created.voucherId],
  )
  expect(rows).toEqual([{ api_key_id: null, staff_id: anna.id, event: expect.objectContaining({ source: 'Anna' }) }])
})

test('a staff member cannot create on a site of others', async () => {
  await expect(createVoucher(ctx, request(await hireStaff('Cem'), otherSite))).rejects.toThrow('site_not_found')
})

test('a staff member makes a batch, revokes its vouchers, and the audit names the staff member', async () => {
  const dora = await hireStaff('Dora')
  const options = { limits, ...noOptions, reference: 'Tagung' }
  const asked = { ...request(dora, site, 'event-1'), rows: [{ name: 'Platz 1' }, { name: 'Platz 2' }], options }

  const { batch } = await createBatch(ctx, asked)
  await runBatch(ctx, batch)
  const { id } = await revokeVouchers(ctx, {
    actor: dora,
    idempotencyKey: undefined,
    contents: {},
    onlyUnused: false,
    choose: (tx) => chooseByFilter(tx, [site], { now: new Date(), batchId: batch.id }),
  })
  await withdrawDue(ctx, site)

  const { rows: vouchers } = await db.query(
    'select status, staff_id from vouchers where site_id = $1 and batch_id = $2',
    [site, batch.id],
  )
  expect(vouchers).toEqual(Array(2).fill({ status: 'revoked', staff_id: dora.id }))
  const { rows: audited } = await db.query(
    'select actor_kind, actor_id, actor_name, action, details from audit where target_id = $1',
    [id],
  )
  const by = { actor_kind: 'staff', actor_id: dora.id, actor_name: 'Dora' }
  expect(audited).toEqual([{ ...by, action: 'vouchers.revoked', details: { vouchers: 2 } }])
})

test('a staff member administers, and the audit names the staff member', async () => {
  const eva = await hireStaff('Eva')
  const everywhere = { ...eva, role: 'admin', allSites: true } as Requester
  const { rows } = await db.query<{ name: string }>(
    'select c.name from controllers c join sites s on s.controller_id = c.id where s.id = $1',
    [site],
  )
  const annex = { name: 'Annex', controller: rows[0]?.name as string, controllerSite: 'annex', active: true }

  await expect(addSite(db, eva, annex)).rejects.toThrow('all_sites_required')
  const { id } = await addSite(db, everywhere, annex)

  const { rows: audited } = await db.query(
    `select actor_kind, actor_name, action from audit where target_kind = 'site' and target_id = $1`,
    [String(id)],
  )
  expect(audited).toEqual([{ actor_kind: 'staff', actor_name: 'Eva', action: 'site.added' }])
})

test('a staff member and a key with the same Idempotency-Key get a voucher each', async () => {
  const key = await seedKey(db, { name: 'Check-in' })
  const byKey: Requester = { kind: 'key', id: key.id, name: key.name, allSites: true }

  const ofKey = await createVoucher(ctx, request(byKey, site, 'same'))
  const ofStaff = await createVoucher(ctx, request(await hireStaff('Finn'), site, 'same'))

  expect(ofStaff.created.voucherId).not.toBe(ofKey.created.voucherId)
})
