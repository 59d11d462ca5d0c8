import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import {
  seedBatch,
  seedControlledSite,
  seedController,
  seedKey,
  seedSite,
  seedTemplate,
  seedVoucher,
  seedWebhook,
} from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { operations } from './register-v2.ts'

const app = await startApp()
const site = await seedControlledSite(app.db, await startSimulator())
const other = await seedSite(app.db)
const voucher = `${site}-${await seedVoucher(app.db, site)}`
const batch = `${site}-${await seedBatch(app.db, site)}`
const nobody = '00000000-0000-7000-8000-000000000000'
const past = new Date(Date.now() - 1000)

const keys = {
  'no key': undefined,
  'a read key': (await seedKey(app.db)).key,
  'a write key': (await seedKey(app.db, { scope: 'write' })).key,
  'a read key for this site': (await seedKey(app.db, { siteIds: [site] })).key,
  'a write key for this site': (await seedKey(app.db, { scope: 'write', siteIds: [site] })).key,
  'a read key for another site': (await seedKey(app.db, { siteIds: [other] })).key,
  'a write key for another site': (await seedKey(app.db, { scope: 'write', siteIds: [other] })).key,
  'a manage key': (await seedKey(app.db, { scope: 'manage' })).key,
  'a manage key for this site': (await seedKey(app.db, { scope: 'manage', siteIds: [site] })).key,
  'a manage key for another site': (await seedKey(app.db, { scope: 'manage', siteIds: [other] })).key,
  'an expired key': (await seedKey(app.db, { scope: 'write', expiresAt: past })).key,
  'a revoked key': await revokedKey(),
}

type Statuses = Record<keyof typeof keys, number>

const barred = { 'no key': 401, 'an expired key': 401, 'a revoked key': 401 }

/** `elsewhere` is the status that a key for another site gets. */
const reading = (elsewhere: number, here = 200): Statuses => ({
  ...barred,
  'a read key': here,
  'a write key': here,
  'a read key for this site': here,
  'a write key for this site': here,
  'a read key for another site': elsewhere,
  'a write key for another site': elsewhere,
  'a manage key': here,
  'a manage key for this site': here,
  'a manage key for another site': elsewhere,
})
const writing = (status: number): Statuses => ({
  ...barred,
  'a read key': 403,
  'a write key': status,
  'a read key for this site': 403,
  'a write key for this site': status,
  'a read key for another site': 403,
  'a write key for another site': 404,
  'a manage key': status,
  'a manage key for this site': status,
  'a manage key for another site': 404,
})
/** `here` and `elsewhere` are the statuses that a key for this site and one for another site get. */
const managing = (status: number, here: number, elsewhere: number): Statuses => ({
  ...barred,
  'a read key': 403,
  'a write key': 403,
  'a read key for this site': 403,
  'a write key for this site': 403,
  'a read key for another site': 403,
  'a write key for another site': 403,
  'a manage key': status,
  'a manage key for this site': here,
  'a manage key for another site': elsewhere,
})

const revocation = await revocationOfThisSite()
const stay = await voucherOnTheController()

const controller = await controllerOfThisSite()
const newController = async () => `/controllers/${await seedController(app.db)}`
const newTemplate = (siteId: number | null) => async () => `/templates/${await seedTemplate(app.db, siteId)}`
const newWebhook = (siteIds?: number[]) => async () => `/webhooks/${await seedWebhook(app.db, siteIds)}`
const sink = 'http://127.0.0.1:9/hook'

type Case = {
  path: string | (() => Promise<string>)
  body?: object | (() => object)
  headers?: Record<string, string>
  statuses: Statuses
}

const expected: Record<string, Case[]> = {
  getMe: [{ path: '/me', statuses: reading(200) }],
  listSites: [{ path: '/sites', statuses: reading(200) }],
  getSite: [{ path: `/sites/${site}`, statuses: reading(404) }],
  createSite: [
    {
      path: '/sites',
      body: () => ({ name: 'Neu', controller_id: controller, controller_site: uuidv7(), unchecked: true }),
      statuses: managing(201, 403, 403),
    },
    { path: '/sites', body: { name: 'Neu', controller_id: nobody }, statuses: managing(404, 403, 403) },
  ],
  updateSite: [{ path: `/sites/${site}`, body: { name: 'Haus' }, statuses: managing(200, 200, 404) }],
  deleteSite: [
    { path: async () => `/sites/${await seedSite(app.db)}`, statuses: managing(204, 404, 404) },
    { path: `/sites/${site}`, statuses: managing(409, 409, 404) },
  ],
  getSiteSettings: [{ path: `/sites/${site}/settings`, statuses: managing(200, 200, 404) }],
  syncSite: [{ path: `/sites/${site}/sync`, statuses: managing(202, 202, 404) }],
  listControllers: [{ path: '/controllers', statuses: managing(200, 403, 403) }],
  createController: [
    {
      path: '/controllers',
      body: () => ({ name: uuidv7(), driver: 'unifi-integration', address: 'https://10.0.0.1', secret: 'x' }),
      statuses: managing(201, 403, 403),
    },
  ],
  getController: [{ path: `/controllers/${controller}`, statuses: managing(200, 403, 403) }],
  updateController: [{ path: newController, body: { address: 'https://10.0.0.2' }, statuses: managing(200, 403, 403) }],
  deleteController: [
    { path: newController, statuses: managing(204, 403, 403) },
    { path: `/controllers/${controller}`, statuses: managing(409, 403, 403) },
  ],
  listControllerSites: [{ path: `/controllers/${controller}/sites`, statuses: managing(200, 403, 403) }],
  listTemplates: [
    { path: '/templates', statuses: reading(200) },
    { path: `/templates?site_id=${site}`, statuses: reading(404) },
  ],
  createTemplate: [
    { path: '/templates', body: () => ({ name: uuidv7(), expire_minutes: 60 }), statuses: managing(201, 403, 403) },
    {
      path: '/templates',
      body: () => ({ name: uuidv7(), expire_minutes: 60, site_id: site }),
      statuses: managing(201, 201, 404),
    },
  ],
  updateTemplate: [
    { path: newTemplate(null), body: { max_uses: 3 }, statuses: managing(200, 403, 403) },
    { path: newTemplate(site), body: { max_uses: 3 }, statuses: managing(200, 200, 404) },
  ],
  deleteTemplate: [
    { path: newTemplate(null), statuses: managing(204, 403, 403) },
    { path: newTemplate(site), statuses: managing(204, 204, 404) },
  ],
  listWebhooks: [{ path: '/webhooks', statuses: managing(200, 200, 200) }],
  createWebhook: [
    { path: '/webhooks', body: { url: sink }, statuses: managing(201, 403, 403) },
    { path: '/webhooks', body: { url: sink, site_ids: [site] }, statuses: managing(201, 201, 404) },
    { path: '/webhooks', body: { url: sink, site_ids: [site, other] }, statuses: managing(201, 404, 404) },
  ],
  getWebhook: [
    { path: newWebhook(), statuses: managing(200, 404, 404) },
    { path: newWebhook([site]), statuses: managing(200, 200, 404) },
    { path: newWebhook([site, other]), statuses: managing(200, 404, 404) },
  ],
  deleteWebhook: [
    { path: newWebhook(), statuses: managing(204, 404, 404) },
    { path: newWebhook([site]), statuses: managing(204, 204, 404) },
    { path: newWebhook([site, other]), statuses: managing(204, 404, 404) },
  ],
  listVouchers: [
    { path: '/vouchers', statuses: reading(200) },
    { path: `/vouchers?site_id=${site}`, statuses: reading(404) },
    { path: `/vouchers?batch_id=${batch}`, statuses: reading(404) },
  ],
  exportVouchers: [
    { path: '/vouchers.csv', statuses: reading(200) },
    { path: `/vouchers.csv?site_id=${site}`, statuses: reading(404) },
  ],
  createVoucher: [
    { path: '/vouchers', body: { site_id: site, name: 'Gast' }, statuses: writing(201) },
    { path: '/vouchers', body: { site_id: site, name: 'Gast', template_id: nobody }, statuses: writing(400) },
  ],
  getVoucherOutcome: [
    { path: '/vouchers/outcome', headers: { 'idempotency-key': 'k' }, statuses: reading(200) },
    { path: '/vouchers/outcome', statuses: reading(400, 400) },
  ],
  lookUpCode: [
    { path: `/vouchers/lookup?site_id=${site}&code=48614-09510`, statuses: reading(404) },
    { path: `/vouchers/lookup?site_id=${site}&code=48614-09510&fresh=true`, statuses: reading(404) },
    { path: '/vouchers/lookup?code=48614-09510', statuses: reading(200) },
  ],
  getVoucher: [{ path: `/vouchers/${voucher}`, statuses: reading(404) }],
  updateVoucher: [
    { path: `/vouchers/${stay}`, body: { name: 'Neu' }, statuses: writing(200) },
    { path: `/vouchers/${voucher}`, body: { name: 'Neu' }, statuses: writing(409) },
  ],
  revokeVoucher: [{ path: `/vouchers/${voucher}`, statuses: writing(202) }],
  listBatches: [
    { path: '/batches', statuses: reading(200) },
    { path: `/batches?site_id=${site}`, statuses: reading(404) },
  ],
  createBatch: [{ path: '/batches', body: { site_id: site, name: 'Gast', count: 2 }, statuses: writing(202) }],
  getBatch: [{ path: `/batches/${batch}`, statuses: reading(404) }],
  listBatchRows: [{ path: `/batches/${batch}/rows`, statuses: reading(404) }],
  exportBatch: [{ path: `/batches/${batch}/vouchers.csv`, statuses: reading(404) }],
  cancelBatch: [{ path: `/batches/${batch}/cancel`, statuses: writing(202) }],
  retryBatch: [{ path: `/batches/${batch}/retry`, statuses: writing(202) }],
  revokeVouchers: [{ path: '/revocations', body: { voucher_ids: [voucher] }, statuses: writing(202) }],
  listRevocations: [{ path: '/revocations', statuses: reading(200) }],
  getRevocation: [{ path: `/revocations/${revocation}`, statuses: reading(404) }],
  listRevocationRows: [{ path: `/revocations/${revocation}/rows`, statuses: reading(404) }],
}

test('every operation is here', () => {
  expect(Object.keys(expected)).toEqual(operations.map(({ operationId }) => operationId))
})

describe.each(operations)('$operationId', ({ operationId, method, path: template }) => {
  const cases = (expected[operationId] ?? []).flatMap(({ statuses, ...asked }) =>
    Object.entries(statuses).map(([who, status]) => ({ ...asked, who, status })),
  )
  const allowed = operations
    .filter(({ path }) => path === template)
    .flatMap((operation) => (operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]))

  test.each(cases)('$status: $who', async ({ path, body, headers, who, status }) => {
    const key = keys[who as keyof typeof keys]
    const options = {
      method,
      ...(headers && { headers }),
      ...(body && { body: JSON.stringify(typeof body === 'function' ? body() : body) }),
      ...(key !== undefined && { key }),
    }

    const url = typeof path === 'function' ? await path() : path

    expect((await app.call(`/api/v2${url}`, options)).status).toBe(status)
  })

  test('405: every other method, with a key; 401 without', async () => {
    const path = cases[0]?.path
    const url = `/api/v2${typeof path === 'function' ? await path() : path}`
    const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']
    for (const method of methods.filter((each) => !allowed.includes(each))) {
      const answer = await app.call(url, { method, key: keys['a read key'] as string })
      expect([answer.status, answer.headers.allow]).toEqual([405, allowed.join(', ')])
      expect((await app.call(url, { method })).status).toBe(401)
    }
  })
})

test('an item that the key may not see is answered exactly like one that does not exist', async () => {
  const key = keys['a manage key for another site'] as string
  const hidden = await newWebhook([site])()
  const pairs = [
    [hidden, `/webhooks/${nobody}`],
    [`/sites/${site}/settings`, '/sites/999999/settings'],
    [`/sites/${site}`, '/sites/999999'],
    [`/templates?site_id=${site}`, '/templates?site_id=999999'],
    [`/vouchers?site_id=${site}`, '/vouchers?site_id=999999'],
    [`/vouchers.csv?site_id=${site}`, '/vouchers.csv?site_id=999999'],
    [`/vouchers/${voucher}`, `/vouchers/${other}-${nobody}`],
    [`/revocations/${revocation}`, `/revocations/${nobody}`],
    [`/revocations/${revocation}/rows`, `/revocations/${nobody}/rows`],
    [`/vouchers/lookup?code=4861409510&site_id=${site}`, '/vouchers/lookup?code=4861409510&site_id=999999'],
    [`/vouchers?batch_id=${batch}`, `/vouchers?batch_id=999999-${nobody}`],
    [`/batches?site_id=${site}`, '/batches?site_id=999999'],
    [`/batches/${batch}`, `/batches/${other}-${nobody}`],
    [`/batches/${batch}/rows`, `/batches/${other}-${nobody}/rows`],
    [`/batches/${batch}/vouchers.csv`, `/batches/${other}-${nobody}/vouchers.csv`],
  ]
  for (const paths of pairs) {
    const answers = await Promise.all(paths.map((path) => app.call(`/api/v2${path}`, { key })))
    const [hiddenOne, missing] = answers.map(({ status, headers, json }) => {
      const { request_id: _, ...body } = json()
      return { status, body, names: Object.keys(headers).toSorted() }
    })
    expect(hiddenOne).toEqual(missing)
    expect(hiddenOne?.status).toBe(404)
  }
})

test('a list of all sites contains only the sites of the key', async () => {
  const idsFor = async (who: keyof typeof keys) =>
    (await app.call('/api/v2/vouchers', { key: keys[who] as string })).json().vouchers.map(({ id }: any) => id)

  expect(await idsFor('a read key for this site')).toContain(voucher)
  expect(await idsFor('a read key for another site')).toEqual([])
})

async function revocationOfThisSite(): Promise<string> {
  const url = `/api/v2/vouchers/${voucher}`
  return (await app.call(url, { method: 'DELETE', key: keys['a write key'] })).json().id
}

async function voucherOnTheController(): Promise<string> {
  const body = JSON.stringify({ site_id: site, name: 'Gast' })
  return (await app.call('/api/v2/vouchers', { method: 'POST', key: keys['a write key'], body })).json().id
}

async function controllerOfThisSite(): Promise<string> {
  const { rows } = await app.db.query<{ id: string }>('select controller_id as id from sites where id = $1', [site])
  return rows[0]?.id as string
}

async function revokedKey(): Promise<string> {
  const { id, key } = await seedKey(app.db, { scope: 'write' })
  await app.db.query('update api_keys set revoked_at = now() where id = $1', [id])
  return key
}
