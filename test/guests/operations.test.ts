import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { operations } from '#http/v2/register-v2.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { findText } from '#test/data/find-text.ts'
import { seedControlledSite, seedKey, seedPerson } from '#test/data/seed.ts'
import { type Answer, call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

/** Every name and reference of this test contains it. */
const marker = 'Quastenflosser'

const db = await createTestDatabase()
const simulator = await startSimulator()
const site_id = await seedControlledSite(db, simulator)
/** A mail server that does not answer, so that the log says why. */
const mail = { MAIL_SERVER: '127.0.0.1:9', MAIL_SECURITY: 'none', MAIL_FROM: 'wlan@adler.example' }
const service = await startService(db.url, { LOG_LEVEL: 'trace', ...mail }, 'start')
const { key } = await seedKey(db, { scope: 'manage' })
const { session } = await seedPerson(db, { role: 'admin' })
const callers = [{ 'x-api-key': key }, { cookie: `voucher-session=${session}` }]

/** Fields that can have a name or a reference of a guest, or a text by which somebody looks for one. */
const fieldsOfGuests = ['name', 'names', 'reference', 'message', 'text', 'query', 'target_id']
/** Operations that have such a field for names of something else: people, sites, keys, templates and so on. */
const withoutGuests = new Set(
  [
    ...['createFirstAdministrator', 'updateMe', 'createPasskey', 'updatePasskey', 'createPerson', 'updatePerson'],
    ...[
      'listStaff',
      'listSites',
      'updateAppearance',
      'createSite',
      'updateSite',
      'createController',
      'updateController',
    ],
    ...['createControllerSites', 'createTemplate', 'updateTemplate', 'createWebhook', 'updateWebhook', 'createKey'],
    ...['updateKey', 'updateMailSender', 'updateSiteMailSender'],
  ].toSorted(),
)

type Request = [operationId: string, path: string, body?: object]

/** What each operation with data of guests is asked: right and wrong, found and not found. */
const requests = (id: string): Request[] => {
  const [name, reference, reason] = [`${marker} 2`, `${marker}-2`, 'guest_asked']
  const guests = [{ site_id, name }]
  return [
    ['createVoucher', '/vouchers', { site_id, name: marker, reference: marker }],
    ['createVoucher', '/vouchers', { site_id, name: marker, reference: marker, [marker]: marker }],
    ['createVoucher', '/vouchers', { site_id: 999_999, name: marker, reference: marker }],
    ['createVoucher', '/vouchers', { site_id, name: `${marker}\n`, reference: marker.repeat(30) }],
    ['createVoucher', '/vouchers', { site_id, name, message: { email: `${marker}@example.org` } }],
    ['createVoucher', '/vouchers', { site_id, name, message: { email: `${marker} @example.org` } }],
    ['createMessage', `/vouchers/${id}/messages`, { email: `${marker}@example.org` }],
    ['createMessage', `/vouchers/${id}0/messages`, { email: `${marker}@example.org` }],
    ['updateVoucher', `/vouchers/${id}`, { name, reference }],
    ['updateVoucher', `/vouchers/${id}`, { name, reference, valid_until: marker }],
    ['updateVoucher', `/vouchers/${id}0`, { name, reference }],
    ['createBatch', '/batches', { site_id, rows: [{ name, reference }], reference }],
    ['createBatch', '/batches', { site_id, rows: [{ name, message: { email: `${marker}@example.org` } }] }],
    ['createBatch', '/batches', { site_id, rows: [{ name, message: { email: `${marker} @example.org` } }] }],
    ['createBatch', '/batches', { site_id, names: [marker, name], name: marker, reference }],
    ['createBatch', '/batches', { site_id, names: [marker, `${name}\n`], reference }],
    ['listVouchers', `/vouchers?text=${marker}&reference=${marker}`],
    ['listVouchers', `/vouchers?text=${marker}&cursor=${marker}`],
    ['exportVouchers', `/vouchers.csv?text=${marker}`],
    ['exportVouchers', `/vouchers.csv?reference=${marker}&format=xlsx`],
    ['lookUpName', `/vouchers/by-name?site_id=${site_id}&name=${marker}`],
    ['lookUpName', `/vouchers/by-name?site_id=999999&name=${marker}`],
    ['listAudit', `/audit?text=${marker}`],
    ['listAudit', `/audit?target_kind=voucher&target_id=${marker}`],
    ['exportAudit', `/audit/export?text=${marker}`],
    ['searchGuests', '/guests/search', { query: marker }],
    ['listStoredGuestData', '/guests/stored', { guests }],
    ['exportGuests', '/guests/export', { guests }],
    ['revokeVouchers', '/revocations', { filter: { site_id: [site_id], reference } }],
    ['revokeVouchers', '/revocations', { filter: { site_id: [999_999], reference } }],
    ['eraseGuests', '/guests/erase', { guests, reason, valid: 'refuse' }],
    ['eraseGuests', '/guests/erase', { guests, reason, valid: 'after_end' }],
    ['eraseGuests', '/guests/erase', { guests: [{ site_id, name: `${marker} nobody` }], reason, valid: 'refuse' }],
    ['eraseGuests', '/guests/erase', { guests, reason: marker, valid: 'refuse' }],
  ]
}

function fieldsOf(schema: any): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {}, items, anyOf = [], allOf = [], oneOf = [] } = schema
  const inner = [items, ...anyOf, ...allOf, ...oneOf, ...Object.values(properties)]
  return [...Object.keys(properties), ...inner.flatMap(fieldsOf)]
}

async function send(headers: object, method: string, path: string, body?: object): Promise<Answer> {
  return call(service.url + path, {
    method,
    headers: { origin: service.url, 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
}

test('no operation writes a name or a reference of a guest into the audit or the log, whether it succeeds or fails', async () => {
  const statuses = new Map<string, number[]>()
  for (const caller of callers) {
    const body = { site_id, name: marker, reference: marker }
    const { id } = (await send(caller, 'POST', '/api/v2/vouchers', body)).json()
    await simulator.fault('refuse', { on: 'create' })
    await send(caller, 'POST', '/api/v2/vouchers', body)
    for (const [operationId, path, content] of requests(id)) {
      const operation = operations.find((each) => each.operationId === operationId)
      expect(operation, operationId).toBeDefined()
      const { status } = await send(caller, operation?.method as string, `/api/v2${path}`, content)
      statuses.set(operationId, [...(statuses.get(operationId) ?? []), status])
    }
  }
  const inV1 = { site_id, name: marker }
  for (const body of [inV1, { ...inV1, site_id: 999_999 }, { ...inV1, name: `${marker}\n` }])
    await send(callers[0] as object, 'POST', '/api/vouchers.php', body)
  await vi.waitFor(async () =>
    expect((await db.query('select from batches where finished_at is null')).rowCount).toBe(0),
  )

  const withNames = operations
    .filter(({ query, body }) =>
      [...fieldsOf(query), ...fieldsOf(body)].some((field) => fieldsOfGuests.includes(field)),
    )
    .map(({ operationId }) => operationId)
  expect(withNames.filter((operationId) => !statuses.has(operationId)).toSorted()).toEqual([...withoutGuests])
  const neverDone = [...statuses].filter(([, each]) => !each.some((status) => status < 300))
  expect(neverDone).toEqual([])
  expect((await findText(db, marker)).filter((place) => /\.(audit|erasures|erasure_items)\./.test(place))).toEqual([])
  expect((await db.query(`select from audit where action like 'guests.%'`)).rowCount).toBeGreaterThan(0)
  const codes = (await db.query<{ code: string }>('select code from vouchers')).rows.map(({ code }) => code)
  expect(service.log.filter((line) => [marker, ...codes].some((text) => line.includes(text)))).toEqual([])
  expect(service.log.filter((line) => line.includes('"msg":"request"')).length).toBeGreaterThan(50)
})
