import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { setGuestInfo } from '#domain/sites/guest-info.ts'
import { setLogo } from '#domain/sites/logo.ts'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { operations } from '#http/v2/register-v2.ts'
import { startApp } from '#test/app.ts'
import { png } from '#test/data/images.ts'
import { seedBatch, seedControlledSite, seedKey, seedTemplate, seedVoucher, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator)
const { key, id: keyId } = await seedKey(app.db, { scope: 'write' })
const voucher = `${site}-${await seedVoucher(app.db, site)}`
const batch = `${site}-${await seedBatch(app.db, site)}`
await seedTemplate(app.db)
await addWebhook({ db: app.db, keyring: testKeyring }, testActor, {
  name: 'Chat',
  format: 'slack',
  url: 'https://hooks.invalid/canary-webhook',
  siteIds: undefined,
})

await setGuestInfo(app.context, testActor, site, { wifiName: 'Gäste', wifiPassword: 'canary-wifi' })
await setLogo(app.db, testActor, site, png)

/** Tables that only the operator may change. */
const guarded = [
  'controllers',
  'api_keys',
  'api_key_sites',
  'api_key_secrets',
  'webhooks',
  'webhook_sites',
  'templates',
  'staff',
  'staff_sites',
  'site_logos',
  'settings',
]
async function fingerprint(): Promise<string> {
  const tables = await Promise.all(
    guarded.map((table) =>
      app.db.query(`select to_jsonb(t) - 'last_used_at' - 'stamp_skew_ms' as row from ${table} t order by 1::text`),
    ),
  )
  const sites = await app.db.query(
    `select id, name, active, controller_id, controller_site, wifi_ssid, wifi_password, wifi_hidden, time_zone,
       guest_languages, slip_footer, room_days, slip_lines, slip_per_language, slip_password_for_keys from sites`,
  )
  return createHash('sha256')
    .update(JSON.stringify([tables.map(({ rows }) => rows), sites.rows]))
    .digest('hex')
}

/** Additional fields with which an attacker might try to gain rights. */
const greedy = {
  scope: 'write',
  all_sites: true,
  rate_limit: 0,
  controller_id: keyId,
  address: 'https://attacker.invalid',
  certificate_pin: null,
  url: 'https://attacker.invalid',
  secret: 'x',
  role: 'admin',
  wifi_password: 'overwritten',
}

const bodies: object[] = [
  { site_id: site, name: 'Gast' },
  { site_id: site, name: 'Gast', count: 2 },
  { voucher_ids: [voucher] },
]

test('with a leaked write key, no operation reveals a secret or changes anything but vouchers', async () => {
  const before = await fingerprint()
  const answers: string[] = []
  for (const { method, path } of operations) {
    const known = path.startsWith('/sites') ? String(site) : path.startsWith('/batches') ? batch : voucher
    const url = `/api/v2${path.replace('{id}', known)}`
    for (const body of method === 'GET' ? [undefined] : bodies.flatMap((each) => [each, { ...each, ...greedy }])) {
      const answer = await app.call(url, { method, key, ...(body && { body: JSON.stringify(body) }) })
      answers.push(answer.text, JSON.stringify(answer.headers))
    }
  }

  const secrets = [simulator.apiKey, simulator.url, new URL(simulator.url).host, 'canary-webhook', 'canary-wifi', key]
  const { rows } = await app.db.query<{ sha256: string; secret: string }>(
    `select encode(sha256, 'hex') as sha256, (select secret from controllers limit 1) as secret from api_key_secrets`,
  )
  for (const secret of [...secrets, ...rows.flatMap((row) => [row.sha256, row.secret])])
    expect(answers.filter((text) => text.includes(secret))).toEqual([])
  expect(answers.join('')).toContain(voucher) // it did get answers
  expect(await fingerprint()).toBe(before)
})

const forPeople = ['keys', `keys/${keyId}`, `keys/${keyId}/roll`, 'staff', 'audit']

test.each(forPeople)('no key may use /api/v2/%s, by any method', async (path) => {
  const { key: managing } = await seedKey(app.db, { scope: 'manage' })
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    for (const each of [key, managing]) {
      const answer = await app.call(`/api/v2/${path}`, { method, key: each, body: JSON.stringify(greedy) })
      expect([403, 405]).toContain(answer.status)
      expect(['people_only', 'method_not_allowed']).toContain(answer.json().error)
    }
})

test.each([
  'api-keys',
  'api_keys',
  'users',
  'settings',
  'secrets',
  `sites/${site}/controller`,
  `sites/${site}/wifi`,
  'deliveries',
])('there is no /api/v2/%s, by any method', async (path) => {
  const { key: managing } = await seedKey(app.db, { scope: 'manage' })
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    for (const each of [key, managing]) {
      const answer = await app.call(`/api/v2/${path}`, { method, key: each, body: JSON.stringify(greedy) })
      expect([answer.status, answer.json().error]).toEqual([404, 'not_found'])
    }
})

test('a site cannot be changed', async () => {
  for (const [method, status] of Object.entries({ POST: 405, PUT: 405, PATCH: 403, DELETE: 403 }))
    expect((await app.call(`/api/v2/sites/${site}`, { method, key, body: '{}' })).status).toBe(status)
})
