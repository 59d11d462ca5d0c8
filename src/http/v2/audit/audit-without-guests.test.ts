import { expect, test } from 'vitest'
import { withdrawDue } from '#domain/revocations/withdraw-due.ts'
import { syncSite } from '#domain/syncing/sync-site.ts'
import { startApp } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { seedControlledSite, seedKey, seedPerson } from '#test/data/seed.ts'
import { setUpMail } from '#test/mail.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { operations } from '../register-v2.ts'

const app = await startApp()
const simulator = await startSimulator('--flavour', 'console')
const site = await seedControlledSite(app.db, simulator, { driver: 'unifi-integration' })
await app.db.query('update sites set tags_names = true where id = $1', [site])
const { key } = await seedKey(app.db, { scope: 'write', name: 'Check-in' })
const { session: admin } = await seedPerson(app.db, { role: 'admin', siteIds: [site] })
await setUpMail(app)
const driven = new Set<string>()

/** Every name and reference of this test contains it. */
const canary = 'Canarygast'

async function call(method: string, path: string, body?: object) {
  const [route = ''] = path.split('?')
  driven.add(`${method} ${route.replace(/\/[0-9a-f-]{30,}/, '/{id}')}`)
  const answer = await app.call(`/api/v2${path}`, { method, key, ...(body && { body: JSON.stringify(body) }) })
  expect([path, answer.status < 300]).toEqual([path, true])
  return answer.json()
}

test('no operation on vouchers writes a name or a reference of a guest into the audit', async () => {
  const day = 86_400_000
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const guest = { name: `${canary} Eins`, reference: `${canary}-1` }
  const { id } = await call('POST', '/vouchers', {
    site_id: site,
    ...guest,
    valid_until: at(day),
    extendable_until: at(3 * day),
  })
  await call('PATCH', `/vouchers/${id}`, {
    name: `${canary} Zwei`,
    reference: `${canary}-2`,
    valid_until: at(2 * day),
  })
  await call('POST', `/vouchers/${id}/messages`, { email: `${canary}@example.org` })
  await call('DELETE', `/vouchers/${id}`)
  const batch = await call('POST', '/batches', {
    site_id: site,
    reference: `${canary}-3`,
    rows: [{ name: `${canary} Drei`, reference: `${canary}-4` }],
  })
  await call('POST', `/batches/${batch.id}/cancel`)
  await call('POST', `/batches/${batch.id}/retry`)
  await call('POST', '/revocations', { filter: { site_id: [site], reference: `${canary}-4` } })
  await withdrawDue(app.context, site)

  const lost = await call('POST', '/vouchers', { site_id: site, name: `${canary} Vier` })
  await app.db.query('delete from vouchers where site_id = $1 and code = $2', [site, lost.code])
  await runCommand(app.db.url, ['reconcile', '--site', String(site), '--adopt', '--yes'])
  await syncSite(app.context, site)

  const changing = operations.filter(
    ({ method, path }) => method !== 'GET' && /^\/(vouchers|batches|revocations)\b/.test(path),
  )
  expect(changing.map(({ method, path }) => `${method} ${path}`).filter((one) => !driven.has(one))).toEqual([])
  const { rows } = await app.db.query<{ action: string; text: string }>(
    'select action, audit::text as text from audit order by id',
  )
  expect(rows.map(({ action }) => action).filter((action) => action.startsWith('voucher'))).toEqual([
    'voucher.changed',
    'vouchers.revoked',
    'vouchers.revoked',
    'vouchers.adopted',
  ])
  expect(rows.filter(({ text }) => text.toLowerCase().includes(canary.toLowerCase()))).toEqual([])

  const found = await app.call('/api/v2/audit?target_kind=voucher', { session: admin })
  const [entry] = found.json().entries
  expect(entry.target.name).toBe(`${canary} Zwei`)
  expect(entry.details).toMatchObject({
    guest_fields: ['name', 'reference'],
    changes: { valid_until: expect.any(String) },
  })
  expect(JSON.stringify(entry.details)).not.toContain(canary)
})
