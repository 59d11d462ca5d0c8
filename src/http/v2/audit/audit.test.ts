import { expect, test } from 'vitest'
import { recordAudit } from '#domain/audit/record-audit.ts'
import { createKey, setKey } from '#domain/keys/administer-keys.ts'
import { setPerson } from '#domain/people/administer-staff.ts'
import { updatePasswordHash } from '#domain/people/staff.queries.ts'
import { setGuestInfo } from '#domain/sites/guest-info.ts'
import { startApp } from '#test/app.ts'
import { seedKey, seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'

const app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' })
const { db } = app
const admin = await seedPerson(db, { role: 'admin', name: 'Katrin Vogt' })
const { session } = admin

type Entry = {
  id: string
  at: string
  actor: { kind: string; id: string | null; name: string }
  action: string
  target: { kind: string; id: string; name: string | null }
  address: string | null
  details: Record<string, unknown>
}

async function list(query: string): Promise<{ entries: Entry[]; next_cursor: string | null }> {
  const answer = await app.call(`/api/v2/audit?${query}`, { session })
  expect(answer.status).toBe(200)
  return answer.json()
}

test('an entry has the actor, the address, the target and the values before and after', async () => {
  const site = await seedSite(db, { name: 'Adler' })

  const answer = await app.call(`/api/v2/sites/${site}`, {
    method: 'PATCH',
    session,
    headers: { 'x-forwarded-for': '192.0.2.7' },
    body: JSON.stringify({ name: 'Goldener Adler' }),
  })

  expect(answer.status).toBe(200)
  expect((await list(`target_kind=site&target_id=${site}`)).entries).toEqual([
    {
      id: expect.any(String),
      at: expect.any(String),
      actor: { kind: 'staff', id: admin.id, name: 'Katrin Vogt' },
      action: 'site.changed',
      target: { kind: 'site', id: String(site), name: 'Adler' },
      address: '192.0.2.7',
      details: { name: 'Adler', changes: { name: 'Goldener Adler' }, before: { name: 'Adler' } },
    },
  ])
})

test('filters combine, and pages follow each other without a gap', async () => {
  const { id } = await seedKey(db, { name: 'Workflow' })
  const key = { kind: 'key', id, name: 'Workflow', allSites: true } as const
  for (const action of ['template.added', 'template.changed', 'webhook.added', 'template.removed'])
    await recordAudit(db, key, { action, targetKind: 'template', targetId: id })

  const all = await list(`actor_id=${id}`)
  const actions = async (query: string) => (await list(`actor_id=${id}&${query}`)).entries.map(({ action }) => action)
  const first = await list(`actor_id=${id}&limit=3`)
  const second = await list(`actor_id=${id}&limit=3&cursor=${first.next_cursor}`)

  expect(all.entries).toHaveLength(4)
  expect([...first.entries, ...second.entries]).toEqual(all.entries)
  expect(second.next_cursor).toBeNull()
  expect((await actions('action=template')).toSorted()).toEqual([
    'template.added',
    'template.changed',
    'template.removed',
  ])
  expect(await actions('action=webhook.added')).toEqual(['webhook.added'])
  expect(await actions('actor_kind=staff')).toEqual([])
  expect(await actions(`after=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([])
  expect(await actions(`before=${new Date(Date.now() - 60_000).toISOString()}`)).toEqual([])
  expect((await actions('action=template&action=webhook')).length).toBe(4)
})

test('a text finds names of actors and targets, and actions', async () => {
  const { id } = await seedKey(db)
  const key = { kind: 'key', id, name: 'Kasse Süd 100%', allSites: true } as const
  const site = await seedSite(db, { name: 'Gasthof Ähre' })
  await recordAudit(
    db,
    key,
    { action: 'webhook.enabled', targetKind: 'webhook', targetId: id, details: { name: 'Chat' } },
    { action: 'site.changed', targetKind: 'site', targetId: String(site), details: { name: 'Krone' } },
  )
  const find = async (text: string) =>
    (await list(`actor_id=${id}&text=${encodeURIComponent(text)}`)).entries.map(({ action }) => action).toSorted()

  expect(await find('kasse SÜD')).toEqual(['site.changed', 'webhook.enabled'])
  expect(await find('ähre')).toEqual(['site.changed']) // the present name of the target
  expect(await find('krone')).toEqual(['site.changed']) // its name at that time
  expect(await find('chat')).toEqual(['webhook.enabled'])
  expect(await find('webhook.en')).toEqual(['webhook.enabled'])
  expect(await find('100%')).toHaveLength(2)
  expect(await find('_')).toEqual([])
  const exported = await app.call(`/api/v2/audit/export?actor_id=${id}&text=chat`, { session })
  expect(exported.text.trim().split('\r\n')).toHaveLength(2)
})

test('the CSV has the same entries', async () => {
  const { id } = await seedKey(db)
  const key = { kind: 'key', id, name: '=cmd', allSites: true } as const
  await recordAudit(db, key, {
    action: 'webhook.enabled',
    targetKind: 'webhook',
    targetId: id,
    details: { name: 'Chat' },
  })

  const answer = await app.call(`/api/v2/audit/export?actor_id=${id}&separator=;`, { session })

  expect(answer.headers['content-disposition']).toBe('attachment; filename="audit.csv"')
  const [head, row, end] = answer.text.slice(1).split('\r\n')
  expect(head).toBe('at;actor_kind;actor_id;actor;action;target_kind;target_id;target;address;details')
  expect(row).toContain(`;key;${id};'=cmd;webhook.enabled;webhook;${id};Chat;;`)
  expect(end).toBe('')
})

test('more than 10,000 entries are not exported', async () => {
  await db.query(
    `insert into audit (id, actor_kind, actor_name, action, target_kind, target_id)
     select gen_random_uuid(), 'command', 'root', 'site.added', 'flood', '1' from generate_series(1, 10001)`,
  )
  const answer = await app.call('/api/v2/audit/export?target_kind=flood', { session })

  expect(answer.status).toBe(400)
  expect(answer.json().error).toBe('export_too_large')
})

test('sign-ins, sign-outs and rejected sign-ins are recorded with their address', async () => {
  const { id, email } = await seedPerson(db, { password: 'correct horse battery' })
  const headers = { origin: app.url, 'content-type': 'application/json', 'x-forwarded-for': '2001:db8::7' }
  const signIn = (password: string) =>
    app.call('/api/v2/session', { method: 'POST', headers, body: JSON.stringify({ email, password }) })

  await signIn('wrong')
  await expect.poll(async () => (await list(`target_id=${id}&action=staff.sign_in_rejected`)).entries).toHaveLength(1)
  const cookie = String((await signIn('correct horse battery')).headers['set-cookie']).split(';')[0] as string
  await app.call('/api/v2/session', { method: 'DELETE', headers: { ...headers, cookie } })

  const { entries } = await list(`target_kind=staff&target_id=${id}`)
  expect(entries.map(({ action, address }) => `${action} ${address}`)).toEqual([
    'staff.signed_out 2001:db8::7',
    'staff.signed_in 2001:db8::7',
    'staff.sign_in_rejected 2001:db8::7',
    'staff.signed_in 127.0.0.1', // by the set-up of this test
    'staff.added null',
  ])
})

test('changes of keys and people have the old values, including the sites', async () => {
  const sites = [await seedSite(db), await seedSite(db)]
  const request = { name: 'PMS', scope: 'write', rateLimit: 60, siteIds: sites, expiresAt: null } as const
  const key = await createKey(db, testActor, { ...request, siteIds: [...sites] })
  await setKey(db, testActor, key.id, { siteIds: 'all', rateLimit: 10 })
  const person = await seedPerson(db, { role: 'desk', siteIds: sites })
  await setPerson(db, testActor, { id: person.id }, { role: 'manager', siteIds: [sites[0] as number] })

  const [changedKey] = (await list(`target_id=${key.id}&action=key.changed`)).entries
  const [changedPerson] = (await list(`target_id=${person.id}&action=staff.changed`)).entries
  expect(changedKey?.details).toEqual({
    name: 'PMS',
    changes: { site_ids: 'all', rate_limit: 10 },
    before: { site_ids: sites, rate_limit: 60 },
  })
  expect(changedPerson?.details).toMatchObject({
    changes: { role: 'manager', site_ids: [sites[0]] },
    before: { role: 'desk', site_ids: sites },
  })
  expect(changedKey?.address).toBeNull()
})

test('no entry contains a secret, neither the new one nor the old one', async () => {
  const canaries = ['canary-first-password', 'canary-second-password']
  const site = await seedSite(db)
  const ctx = { db, keyring: testKeyring, today: app.context.today }
  for (const wifiPassword of canaries) await setGuestInfo(ctx, testActor, site, { wifiPassword, wifiName: 'Gäste' })
  await updatePasswordHash(db, admin.id, 'canary-hash')
  await setPerson(db, testActor, { id: admin.id }, { name: 'Katrin Vogt' })

  const { entries } = await list(`target_id=${site}`)
  expect(entries.map(({ details }) => details['wifi_password'])).toEqual(['replaced', 'replaced'])
  const { rows } = await db.query<{ entry: string }>('select to_jsonb(audit)::text as entry from audit')
  expect(rows.filter(({ entry }) => entry.includes('canary'))).toEqual([])
})

test('the answer says whether the service could change the audit: a superuser could', async () => {
  const answer = await app.call('/api/v2/audit?limit=1', { session })
  const { rows } = await app.context.db.query(
    'select rolsuper as can_be_changed from pg_roles where rolname = session_user',
  )

  expect(rows).toEqual([{ can_be_changed: answer.json().can_be_changed }])
})
