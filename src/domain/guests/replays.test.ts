import { createHash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { startApp, type TestApp } from '#test/app.ts'
import { findText } from '#test/data/find-text.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import type { Answer } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { itemOf } from '#test/public-id.ts'
import { runBatch } from '../creating/run-batch.ts'
import { eraseVouchers } from './erase-vouchers.ts'

const app = await startApp()
const { db } = app
const secret = (id: string) => `${id}:${Buffer.alloc(32, id).toString('base64')}`
const afterRotation = await startApp({ ENCRYPTION_KEYS: `${secret('newer')},${secret('test')}` }, { db })
const site = await seedControlledSite(db, await startSimulator())
const { key } = await seedKey(db, { scope: 'write' })
const [guest, reference] = ['Quastenflosser', 'QF-4711']

type Request = { method: string; path: string; body: object }
/** `table` has the hash of the request. `contents` is the text that version 0.1.0 hashes for it. `erased`: what the guest becomes. */
type Case = { table: string; request: Request; other: object; contents: string; erased: object }

const cases: Record<string, () => Promise<Case>> = {
  'a creation by API v1': async () => ({
    table: 'creations',
    request: { method: 'POST', path: '/api/vouchers.php', body: { site_id: site, name: guest, expire_minutes: 60 } },
    other: { site_id: site, name: 'Ada', expire_minutes: 60 },
    contents: `[${site},"${guest}",1,60,0,0,0]`,
    erased: {},
  }),
  'a creation by API v2': async () => ({
    table: 'creations',
    request: { method: 'POST', path: '/api/v2/vouchers', body: { site_id: site, reference, name: guest } },
    other: { site_id: site, reference, name: 'Ada' },
    contents: `{"name":"${guest}","reference":"${reference}","site_id":${site}}`,
    erased: { name: '–', controller_name: expect.stringMatching(/^\d{4}-\d\d-\d\d_–$/), reference: null },
  }),
  'a batch': async () => ({
    table: 'batches',
    request: { method: 'POST', path: '/api/v2/batches', body: { site_id: site, rows: [{ name: guest, reference }] } },
    other: { site_id: site, rows: [{ name: guest }] },
    contents: `{"rows":[{"name":"${guest}","reference":"${reference}"}],"site_id":${site}}`,
    erased: {},
  }),
  'a batch with a reference': async () => ({
    table: 'batches',
    request: { method: 'POST', path: '/api/v2/batches', body: { site_id: site, name: guest, count: 2, reference } },
    other: { site_id: site, name: guest, count: 3, reference },
    contents: `{"count":2,"name":"${guest}","reference":"${reference}","site_id":${site}}`,
    erased: { reference: null },
  }),
  'a change': async () => {
    const id = await create('Ada')
    return {
      table: 'remembered_requests',
      request: { method: 'PATCH', path: `/api/v2/vouchers/${id}`, body: { name: guest, reference } },
      other: { name: guest },
      contents: `{"id":"${id}","name":"${guest}","reference":"${reference}"}`,
      erased: { name: '–', controller_name: expect.stringMatching(/^\d{4}-\d\d-\d\d_–$/), reference: null },
    }
  },
  'a revocation': async () => {
    await create(guest, reference)
    return {
      table: 'revocations',
      request: { method: 'POST', path: '/api/v2/revocations', body: { filter: { reference, site_id: [site] } } },
      other: { filter: { reference: 'QF-1', site_id: [site] } },
      contents: `{"filter":{"reference":"${reference}"},"sites":[${site}]}`,
      erased: {},
    }
  },
}

async function create(name: string, withReference?: string): Promise<string> {
  const body = { site_id: site, name, ...(withReference && { reference: withReference }) }
  return (await send(app, { method: 'POST', path: '/api/v2/vouchers', body }, uuidv7())).json().id
}

function send(to: TestApp, { method, path, body }: Request, idempotencyKey: string): Promise<Answer> {
  return to.call(path, { method, key, headers: { 'idempotency-key': idempotencyKey }, body: JSON.stringify(body) })
}

/** The guests' data of an answer and what identifies it. Its times and counts go on meanwhile. */
function valuesOf({ text }: Answer): Record<string, unknown> {
  const { id, code, formatted_code, name, controller_name, reference: ofGuest, site: siteName } = JSON.parse(text)
  return { id, code, formatted_code, name, controller_name, reference: ofGuest, site: siteName }
}

const ways = [
  { stored: 'this version', by: app, when: 'in this process' },
  { stored: 'version 0.1.0', by: app, when: 'in this process' },
  { stored: 'version 0.1.0', by: afterRotation, when: 'after the encryption key was rotated before the erasure' },
  {
    stored: 'this version',
    by: app,
    when: 'and the encryption key is rotated after the erasure',
    later: afterRotation,
  },
]
const all = ways.flatMap((way) => Object.keys(cases).map((what) => ({ ...way, what })))

test.each(all)(
  '$what, stored by $stored: a repeat gets the first answer, and without the name once it is erased, $when',
  async ({ what, stored, by, later = by }) => {
    for (const table of [
      'withdrawals',
      'vouchers',
      'creations',
      'batch_rows',
      'batches',
      'revocations',
      'remembered_requests',
    ])
      await db.query(`delete from ${table}`)
    const { table, request, other, contents, erased } = await (cases[what] as () => Promise<Case>)()
    const first = await send(app, request, 'key')
    const { rows } = await db.query(`select request_hash from ${table} where idempotency_key = 'key'`)
    expect(rows).toEqual([{ request_hash: createHash('sha256').update(contents).digest() }])
    if (stored === 'version 0.1.0' && table === 'remembered_requests')
      await db.query('update remembered_requests set target = null')
    if (table === 'batches') await runBatch(app.context, itemOf(first.json().id))

    const repeat = await send(by, request, 'key')
    expect([repeat.status, repeat.headers['idempotent-replayed']]).toEqual([first.status, 'true'])
    expect(valuesOf(repeat)).toEqual(valuesOf(first))

    await db.query(`update vouchers set status = 'expired'`)
    const vouchers = (await db.query<{ id: string }>('select id from vouchers')).rows.map(({ id }) => id)
    await db.transaction((tx) => eraseVouchers(tx, by.context.keyring, site, vouchers))
    expect(await findText(db, guest, reference)).toEqual([])
    const keyed = await db.query(`select request_hash_key from ${table} where idempotency_key = 'key'`)
    expect(keyed.rows).toEqual([{ request_hash_key: by.context.keyring.currentId }])
    const again = await send(later, request, 'key')
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([first.status, 'true'])
    expect(valuesOf(again)).toEqual({ ...valuesOf(first), ...erased })
    expect(again.text).not.toContain(guest)

    expect((await send(later, { ...request, body: other }, 'key')).status).toBe(422)
  },
)
