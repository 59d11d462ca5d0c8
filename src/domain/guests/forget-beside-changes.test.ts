import { expect, test } from 'vitest'
import { createRandom } from '#lib/random.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedPerson } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { dialects, startSimulator } from '#test/network/simulator.ts'
import { withdrawDue } from '../revocations/withdraw-due.ts'
import { syncSite } from '../syncing/sync-site.ts'
import { forgetGuests } from './forget-guests.ts'

const app = await startApp()
const { db, context } = app
const { session } = await seedPerson(db, { role: 'admin' })
const { chance } = createRandom(76)
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
const count = size(40, 400)
const rounds = size(4, 20)

const send = async (method: string, path: string, body: object) => {
  const answer = await app.call(`/api/v2${path}`, { method, session, body: JSON.stringify(body) })
  expect(answer.status).toBeLessThan(500)
  return answer.status
}

test.each(dialects)(
  '$dialect: beside syncs, revocations, extensions and uses, a voucher keeps its name or has ended',
  async ({ driver, flavour }) => {
    await send('PATCH', '/settings/guest-data', {
      forget_after_days: 30,
      unused_after_days: 60,
      delete_on_controller: true,
    })
    const simulator = await startSimulator('--flavour', flavour)
    const siteId = await seedControlledSite(db, simulator, { driver })
    const vouchers = range(count).map((n) => ({
      code: String(3_000_000_000 + n),
      name: `2026-01-01_Gast ${n}`,
      timeLimitMinutes: 60,
      authorizedGuestLimit: 1,
      createdAt: daysAgo(n % 4 === 3 ? 89 : 91), // every fourth unused voucher is too young
      ...(n % 4 === 0 && { firstUsedAt: daysAgo(31), devices: 1 }),
    }))
    const body = JSON.stringify({ internalReference: 'default', vouchers })
    expect((await call(`${simulator.url}/control/history`, { method: 'POST', body })).status).toBe(201)
    await db.query('update sites set adopts_vouchers = true, ended_deleted_at = now() where id = $1', [siteId])
    await syncSite(context, siteId)
    await db.query('update vouchers set creation_id = id where site_id = $1', [siteId])
    const { rows } = await db.query<{ id: string; code: string }>('select id, code from vouchers where site_id = $1', [
      siteId,
    ])
    const extended = new Set<string>()
    const forget = () => forgetGuests(context, new AbortController().signal)
    const sync = async () => {
      await db.query('update sites set ended_deleted_at = null, compared_list = null where id = $1', [siteId])
      await syncSite(context, siteId)
    }
    const repeat = async (work: () => Promise<unknown>) => {
      for (let i = 0; i < rounds; i++) await work()
    }
    const changeSome = async () => {
      for (const { id, code } of rows) {
        const path = `/vouchers/${siteId}-${id}`
        if (chance(0.1) && (await send('PATCH', path, { valid_until: daysAgo(-30).toISOString() })) === 200)
          extended.add(code)
        if (chance(0.05)) await send('PATCH', path, { reference: 'R-1' })
        if (chance(0.05)) await send('POST', '/revocations', { voucher_ids: [`${siteId}-${id}`] })
        if (chance(0.05)) await simulator.redeem(code).catch(() => {}) // it may be gone
      }
    }
    await Promise.all([
      repeat(forget),
      repeat(forget),
      repeat(() => withdrawDue(context, siteId)),
      repeat(sync),
      changeSome(),
    ])
    for (const step of [forget, () => withdrawDue(context, siteId), sync, forget]) {
      await db.query(
        `update withdrawals set next_attempt_at = now() - interval '1 second' where settled_at is null and due_at <= now()`,
      )
      await step()
    }

    const after = (
      await db.query<{ code: string; name: string; status: string; isErased: boolean; isDue: boolean }>(
        `select code, name, status, erased_at is not null as "isErased", created_at < now() - interval '90 days' as "isDue"
           from vouchers where site_id = $1`,
        [siteId],
      )
    ).rows
    const usable = new Set(
      (await simulator.vouchers())
        .filter(({ deleted, authorizedGuestCount }) => !deleted && authorizedGuestCount === 0)
        .map(({ code }) => code),
    )
    expect(after.filter(({ name, isErased }) => (name === '–') !== isErased)).toEqual([])
    expect(after.filter(({ isErased, status }) => isErased && status === 'valid')).toEqual([])
    expect(after.filter(({ isErased, code }) => isErased && usable.has(code))).toEqual([])
    expect(after.filter(({ isErased, isDue }) => isErased && !isDue)).toEqual([])
    expect(after.filter(({ isErased }) => isErased).length).toBeGreaterThan(count / 4)
    expect(after.filter(({ code, status, isErased }) => extended.has(code) && status === 'valid' && isErased)).toEqual(
      [],
    )
    expect(after.filter(({ code, status }) => extended.has(code) && status === 'valid').length).toBeGreaterThan(0)
  },
)
