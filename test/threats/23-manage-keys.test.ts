import { createHmac } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { png } from '#test/data/images.ts'
import { seedControlledSite, seedKey, seedSite, seedTemplate, seedWebhook } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { type Received, startWebhookSink } from '#test/network/webhook-sink.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const simulator = await startSimulator('--site', 'default=Default', '--site', 'branch=Branch')
const service = await startService(db.url, { LOG_LEVEL: 'trace' }, 'start')
const site = await seedControlledSite(db, simulator)
const other = await seedControlledSite(db, simulator, { controllerSite: 'branch' })
const manage = (await seedKey(db, { name: 'Workflow', scope: 'manage' })).key
const limited = (await seedKey(db, { scope: 'manage', siteIds: [site] })).key
const write = (await seedKey(db, { scope: 'write' })).key

async function ask(method: string, path: string, key: string, body?: object | Buffer) {
  const headers = { authorization: `Bearer ${key}`, 'accept-language': 'en' }
  return call(`${service.url}/api/v2${path}`, {
    method,
    headers,
    ...(body && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  })
}

test('secrets are write-only: no answer, log line or audit entry contains one', async () => {
  const canaries = [
    'canary-password-1',
    'canary-password-2',
    'canary-api-key',
    'canary-hook-path',
    'canary-wifi-1',
    'canary-wifi-2',
  ]
  const answers: string[] = []
  const tell = async (...asked: Parameters<typeof ask>) => {
    const answer = await ask(...asked)
    answers.push(answer.text, JSON.stringify(answer.headers))
    return answer
  }
  const login = { driver: 'unifi-classic', address: simulator.url, username: 'admin', secret: canaries[0] }
  const made = (await tell('POST', '/controllers', manage, { ...login, name: 'C' })).json()
  await tell('POST', '/controllers', manage, { ...login, name: 'C' })
  await tell('POST', '/controllers', manage, { ...login, name: 'D', address: `https://u:${canaries[1]}@x` })
  await tell('POST', '/controllers', manage, { ...login, name: 'D', username: `me@${canaries[1]}` })
  await tell('POST', '/controllers', manage, {
    name: 'E',
    driver: 'unifi-integration',
    address: 'nonsense',
    secret: canaries[2],
  })
  await tell('POST', '/controllers', manage, { ...login, name: 'F', secret: [canaries[2]] })
  await tell('PATCH', `/controllers/${made.id}`, manage, { secret: canaries[1] })
  const failed = await tell('POST', '/sites', manage, { name: 'S', controller_id: made.id })
  await tell('GET', `/controllers/${made.id}/sites`, manage)
  await tell('GET', `/controllers/${made.id}`, manage)
  await tell('GET', '/controllers', manage)
  const url = `http://127.0.0.1:9/${canaries[3]}`
  const { id, secret, ...hook } = (await ask('POST', '/webhooks', manage, { url, name: 'Hook' })).json()
  await tell('POST', '/webhooks', manage, { url, name: 'Hook' })
  await tell('POST', '/webhooks', manage, { url: `https://10.0.0.1/${canaries[3]}` })
  await tell('GET', `/webhooks/${id}`, manage)
  await tell('GET', '/webhooks', manage)
  const guestInfo = `/sites/${site}/guest-info`
  const wifi = await tell('PATCH', guestInfo, manage, { wifi_name: 'Gäste', wifi_password: canaries[4] })
  await tell('PATCH', guestInfo, limited, { wifi_password: canaries[5], time_zone: 'nowhere' })
  await tell('PATCH', guestInfo, limited, { wifi_password: [canaries[5]] })
  await tell('PATCH', guestInfo, limited, { wifi_password: `${canaries[5]}\n` })
  await tell('PATCH', guestInfo, limited, { wifi_pasword: canaries[5] })
  for (const key of [manage, limited, write]) await tell('GET', guestInfo, key)
  await tell('POST', '/vouchers', write, { site_id: site, name: 'Gast' })
  await tell('POST', `/sites/${site}/sync`, manage)
  const { rows: jobs } = await db.query<{ entry: string }>('select to_jsonb(job)::text as entry from pgboss.job')
  const { rows: audit } = await db.query<{ entry: string }>('select to_jsonb(audit)::text as entry from audit')

  expect(made.has_secret).toBe(true)
  expect([failed.status, failed.json().error]).toEqual([409, 'controller_check_failed'])
  expect(audit.map(({ entry }) => entry).join()).toContain('controller.changed')
  expect(wifi.json()).toMatchObject({ wifi_password: null, wifi_password_set: true })
  expect(audit.map(({ entry }) => entry).join()).toContain('site.guest_info_changed')
  expect(jobs).not.toEqual([])
  const stored = [...jobs, ...audit].map(({ entry }) => entry)
  const everything = [...answers, JSON.stringify(hook), ...service.log, ...stored].join('\n')
  for (const canary of [...canaries, secret]) expect(everything).not.toContain(canary)
})

test('subscribe, receive, unsubscribe; a write key cannot', async () => {
  const [sink, control] = [await startWebhookSink(), await startWebhookSink()]
  const create = (siteId: number) => ask('POST', '/vouchers', write, { site_id: siteId, name: 'Gast' })
  const wanted = { url: sink.url, events: ['voucher.created'], site_ids: [site] }

  expect((await ask('POST', '/webhooks', write, wanted)).status).toBe(403)
  const { id, secret } = (await ask('POST', '/webhooks', limited, wanted)).json()
  await ask('POST', '/webhooks', manage, { url: control.url, site_ids: [site, other] })
  await create(other)
  await create(site)
  await vi.waitFor(() => expect(control.received).toHaveLength(2), 30_000)
  await vi.waitFor(() => expect(sink.received).toHaveLength(1), 30_000)
  const [{ headers, body }] = sink.received as [Received]
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  expect(JSON.parse(body)).toMatchObject({ type: 'voucher.created', data: { site_id: site } })

  expect((await ask('DELETE', `/webhooks/${id}`, write)).status).toBe(403)
  expect((await ask('DELETE', `/webhooks/${id}`, limited)).status).toBe(204)
  expect((await ask('DELETE', `/webhooks/${id}`, limited)).status).toBe(404)
  await create(site)
  await vi.waitFor(() => expect(control.received).toHaveLength(3), 30_000)
  expect(sink.received).toHaveLength(1)
})

test('a limited manage key changes nothing of other sites, no controller and nothing for all sites', async () => {
  const { rows } = await db.query<{ id: string }>('select controller_id as id from sites where id = $1', [site])
  const controller = `/controllers/${rows[0]?.id}`
  const [forAll, foreign] = [await seedTemplate(db), await seedTemplate(db, other)]
  const hooks = [
    await seedWebhook(db),
    await seedWebhook(db, { siteIds: [other] }),
    await seedWebhook(db, { siteIds: [site, other] }),
  ]
  const state = async () =>
    (
      await db.query(`select (select jsonb_agg(to_jsonb(t) order by id) from templates t) as templates,
      (select jsonb_agg(to_jsonb(w) order by id) from webhooks w) as webhooks,
      (select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'active', active, 'wifi', wifi_ssid) order by id)
         from sites) as sites,
      (select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'address', address, 'secret', secret) order by id)
         from controllers) as controllers`)
    ).rows
  const before = await state()
  const attempts: [string, string, object?][] = [
    ['PATCH', `/sites/${other}`, { active: false }],
    ['DELETE', `/sites/${other}`],
    ['POST', `/sites/${other}/sync`],
    ['GET', `/sites/${other}/settings`],
    ['GET', `/sites/${other}/guest-info`],
    ['PATCH', `/sites/${other}/guest-info`, { wifi_name: 'x' }],
    ['GET', `/sites/${other}/logo`],
    ['PUT', `/sites/${other}/logo`, png],
    ['DELETE', `/sites/${other}/logo`],
    ['POST', '/sites', { name: 'x', controller_id: rows[0]?.id, unchecked: true }],
    ['GET', '/controllers'],
    ['GET', controller],
    ['PATCH', controller, { address: 'https://127.0.0.1:1' }],
    ['DELETE', controller],
    ['GET', `${controller}/sites`],
    ['POST', '/controllers', { name: 'x', driver: 'unifi-integration', address: 'https://127.0.0.1:1', secret: 'x' }],
    ['POST', '/templates', { name: 'x', expire_minutes: 1 }],
    ['POST', '/templates', { name: 'x', expire_minutes: 1, site_id: other }],
    ...[forAll, foreign].flatMap((id): [string, string, object?][] => [
      ['PATCH', `/templates/${id}`, { name: 'x' }],
      ['DELETE', `/templates/${id}`],
    ]),
    ['POST', '/webhooks', { url: 'http://127.0.0.1:9/' }],
    ['POST', '/webhooks', { url: 'http://127.0.0.1:9/', site_ids: [site, other] }],
    ...hooks.flatMap((id): [string, string][] => [
      ['GET', `/webhooks/${id}`],
      ['DELETE', `/webhooks/${id}`],
    ]),
  ]
  const statuses = []
  for (const [method, path, body] of attempts) statuses.push((await ask(method, path, limited, body)).status)

  expect(statuses.filter((status) => status !== 403 && status !== 404)).toEqual([])
  expect(await state()).toEqual(before)
  expect((await ask('GET', '/webhooks', limited)).json().webhooks).toEqual([])
})

test('the audit names the key', async () => {
  const id = await seedSite(db)
  await ask('PATCH', `/sites/${id}`, manage, { name: 'Neu' })
  await ask('DELETE', `/sites/${id}`, manage)
  const { rows } = await db.query(
    `select actor_kind, actor_name, action from audit where target_kind = 'site' and target_id = $1 order by id`,
    [String(id)],
  )

  expect(rows).toEqual([
    { actor_kind: 'key', actor_name: 'Workflow', action: 'site.changed' },
    { actor_kind: 'key', actor_name: 'Workflow', action: 'site.removed' },
  ])
})
