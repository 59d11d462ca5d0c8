import { parse } from 'csv-parse/sync'
import { describe, expect, test, vi } from 'vitest'
import { runBatch } from '#domain/creating/run-batch.ts'
import { revokeKey } from '#domain/keys/administer-keys.ts'
import { activateSite } from '#domain/sites/change-site.ts'
import { removeTemplate } from '#domain/templates/administer-templates.ts'
import { startApp } from '#test/app.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedControlledSite, seedKey, seedTemplate, testActor } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { readPublicId } from '../kit/fields.ts'

const app = await startApp()
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator)
const { key } = await seedKey(app.db, { scope: 'write' })

const post = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
  app.call(`/api/v2${path}`, {
    method: 'POST',
    key,
    headers: { 'accept-language': 'en', ...headers },
    body: JSON.stringify(body),
  })
const batch = (body: object, headers = {}) => post('/batches', { site_id: site, ...body }, headers)
const get = async (path: string) => (await app.call(`/api/v2${path}`, { key })).json()
const run = (id: string) => runBatch(app.context, readPublicId(id) as { siteId: number; id: string })
const moveController = (address: string) =>
  app.db.query('update controllers set address = $1 where id = (select controller_id from sites where id = $2)', [
    address,
    site,
  ])
const accepted = async (body: object): Promise<string> => (await batch(body)).json().id

describe('400', () => {
  test.each([
    [{}, 'One of these fields is required: names, rows, name and count', 'name one_of_required'],
    [{ name: 'x' }, 'count is required', 'count required'],
    [{ count: 5 }, 'name is required', 'name required'],
    [{ name: 'x', count: 0 }, 'count must be between 1 and 1000', 'count out_of_range'],
    [{ name: 'x', count: 1_001 }, 'count must be between 1 and 1000', 'count out_of_range'],
    [{ names: [] }, 'names must have at least 1 item(s)', 'names too_few'],
    [{ names: Array(1_001).fill('x') }, 'names must have at most 1000 items', 'names too_many'],
    [{ names: ['x'], count: 1 }, expect.stringContaining('names or rows or name and count'), 'names not_together'],
    [{ names: ['x'], name: 'x' }, expect.stringContaining('names or rows or name and count'), 'names not_together'],
    [{ rows: [{ name: 'x' }], names: ['x'] }, expect.stringContaining('Send either'), 'rows not_together'],
    [{ rows: [{ name: 'x' }], count: 1 }, expect.stringContaining('Send either'), 'rows not_together'],
    [{ rows: [] }, 'rows must have at least 1 item(s)', 'rows too_few'],
    [{ rows: Array(1_001).fill({ name: 'x' }) }, 'rows must have at most 1000 items', 'rows too_many'],
    [{ rows: [{ name: 'x' }, {}] }, 'rows[1].name is required', 'rows[1].name required'],
    [
      { rows: [{ name: 'x', room: '204' }] },
      expect.stringContaining('There is no field'),
      'rows[0].room unknown_field',
    ],
    [
      { rows: [{ name: 'x' }, { name: 'y', valid_until: '2020-01-01T00:00:00Z' }] },
      'rows[1].valid_until must be at least one minute ahead',
      'rows[1].valid_until in_the_past',
    ],
    [
      { rows: [{ name: 'x', extendable_until: '2099-01-01T00:00:00Z' }] },
      'rows[0].valid_until is required',
      'rows[0].valid_until required',
    ],
    [
      { rows: [{ name: 'x' }, { name: 'y', expire_minutes: 1_000_001 }] },
      'rows[1].expire_minutes must be between 1 and 1000000',
      'rows[1].expire_minutes out_of_range',
    ],
    [{ names: ['x', ' '] }, 'names[1] is required', 'names[1] required'],
    [{ names: ['x', 7] }, 'names[1] must be a string', 'names[1] wrong_type'],
    [
      { name: 'x', count: 2, valid_until: '2020-01-01T00:00:00Z' },
      'valid_until must be at least one minute ahead',
      'valid_until in_the_past',
    ],
    [
      { name: 'x', count: 2, valid_until: '2099-01-01T00:00:00Z', extendable_until: '2099-01-01T00:00:00Z' },
      expect.stringContaining('extendable_until must not be after 2'),
      'extendable_until too_late',
    ],
    [
      { name: 'x', count: 2, expire_minutes: 1_000_001 },
      'expire_minutes must be between 1 and 1000000',
      'expire_minutes out_of_range',
    ],
  ])('%o', async (body, message, field) => {
    const answer = await batch(body)
    const [error] = answer.json().errors

    expect([answer.status, answer.json().message]).toEqual([400, message])
    expect(`${error.field} ${error.code}`).toBe(field)
  })
})

test('400: the answer names each wrong row, and nothing is created', async () => {
  const late = { valid_until: '2099-01-01T00:00:00Z', extendable_until: '2099-02-01T00:00:00Z' }
  const rows = [{ name: 'a' }, { name: 'c', ...late }, { name: 'd', expire_minutes: 1_000_001 }]
  const before = (await get('/batches')).batches.length
  const answer = await batch({ rows })

  const errors = answer.json().errors.map(({ field, message }: any) => [field, message])
  expect([answer.status, errors]).toEqual([
    400,
    [
      ['rows[1].extendable_until', expect.stringMatching(/^rows\[1\]\.extendable_until must not be after 2/)],
      ['rows[2].expire_minutes', 'rows[2].expire_minutes must be between 1 and 1000000'],
    ],
  ])
  expect((await get('/batches')).batches).toHaveLength(before)
})

test('400: at most 50 wrong rows are named', async () => {
  const rows = Array(1_000).fill({ name: 'x', valid_until: '2020-01-01T00:00:00Z' })

  expect((await batch({ rows })).json().errors).toHaveLength(50)
})

test('413: a body of more than 512 KiB; 1,000 long rows fit', async () => {
  const row = { reference: 'R'.repeat(40), max_uses: 2, valid_until: '2099-01-01T00:00:00Z' }
  const rows = (length: number) => Array.from({ length: 1_000 }, () => ({ name: 'x'.repeat(length), ...row }))
  const tooLarge = await batch({ rows: rows(450) })
  const fits = await batch({ rows: rows(244) })

  expect([tooLarge.status, tooLarge.json().message]).toEqual([413, 'The body of the request is larger than 512 KiB'])
  expect([fits.status, fits.json().size]).toEqual([202, 1_000])
  await post(`/batches/${fits.json().id}/cancel`)
})

describe('rows with their own values', () => {
  const end = new Date(Date.now() + 3 * 86_400_000).toISOString()
  const rows = [
    { name: 'Huber', reference: '204', max_uses: 4, valid_until: end },
    { name: 'Huber', reference: '205', expire_minutes: 90 },
    { name: 'Brandt' },
    { name: 'Huber', reference: '206', expire_minutes: 90 },
  ]
  const common = { rows, expire_minutes: 1440, max_uses: 2, reference: 'Messe' }

  test('each voucher has the values of its row, and those of the batch where the row has none', async () => {
    const id = await accepted(common)
    await run(id)

    const { rows: made } = await get(`/batches/${id}/rows`)
    const vouchers = await Promise.all(made.map(({ voucher_id }: any) => get(`/vouchers/${voucher_id}`)))
    expect(vouchers.map((v) => [v.name, v.code, v.reference, v.max_uses, v.valid_until])).toEqual(
      made.map((row: any) => [row.name, row.code, row.reference, row.max_uses, row.valid_until]),
    )
    expect(made.map(({ reference, max_uses, valid_until }: any) => [reference, max_uses, valid_until])).toEqual([
      ['204', 4, end],
      ['205', 2, null],
      ['Messe', 2, null],
      ['206', 2, null],
    ])
    const minutes = vouchers.map(({ expire_minutes }) => expire_minutes)
    expect([minutes[0] > 4_300 && minutes[0] <= 4_320, ...minutes.slice(1)]).toEqual([true, 90, 1440, 90])
    const { rows: ends } = await app.db.query(
      'select due_at from withdrawals where site_id = $1 and settled_at is null',
      [site],
    )
    expect(ends).toEqual([{ due_at: new Date(end) }])
    const onController = (await simulator.vouchers()).filter(({ code }) => made.some((row: any) => row.code === code))
    expect(onController.map(({ code }) => code).toSorted()).toEqual(made.map(({ code }: any) => code).toSorted())
    const csv = await app.call(`/api/v2/batches/${id}/vouchers.csv`, { key })
    expect(
      parse(csv.text, { columns: true, bom: true }).map(({ reference, valid_until }: any) => [reference, valid_until]),
    ).toEqual([
      ['204', end],
      ['205', ''],
      ['Messe', ''],
      ['206', ''],
    ])
  })

  test('a row whose end has passed fails alone; the others are made', async () => {
    const id = await accepted({ ...common, rows: [...rows, { name: 'Spät', valid_until: end }] })
    await app.db.query(
      `update batch_rows set valid_until = now() - interval '1 second' where batch_id = $1 and number = 1`,
      [id.slice(id.indexOf('-') + 1)],
    )
    await run(id)

    expect(await get(`/batches/${id}`)).toMatchObject({ state: 'done', made: 4, failed: 1 })
    expect((await get(`/batches/${id}/rows`)).rows[0]).toMatchObject({
      outcome: 'failed',
      failure: 'valid_until_passed',
    })
  })

  test('a repeat must have the same values in every row', async () => {
    const headers = { 'idempotency-key': 'rows-1' }
    const first = await batch(common, headers)
    const again = await batch(common, headers)
    const changed = [
      { max_uses: 5 },
      { reference: '207' },
      { valid_until: new Date(Date.now() + 86_400_000).toISOString() },
    ]
    const others = await Promise.all(
      changed.map((change) => batch({ ...common, rows: [{ ...rows[0], ...change }, ...rows.slice(1)] }, headers)),
    )

    expect([again.status, again.json().id]).toEqual([202, first.json().id])
    expect(others.map(({ status }) => status)).toEqual([422, 422, 422])
  })

  test('a revocation by the reference of a row cancels only this row', async () => {
    const id = await accepted(common)
    await post('/revocations', { filter: { site_id: [site], reference: '205' } })

    const outcomes = (await get(`/batches/${id}/rows`)).rows.map(({ outcome }: any) => outcome)
    expect(outcomes).toEqual(['waiting', 'cancelled', 'waiting', 'waiting'])
  })

  test('a worker of an older version cannot send a row with its own values', async () => {
    const id = await accepted(common)
    const send = (number: number) =>
      app.db.query(
        `update batch_rows set state = 'sent', creation_id = gen_random_uuid() where batch_id = $1 and number = $2`,
        [id.slice(id.indexOf('-') + 1), number],
      )

    await expect(send(1)).rejects.toThrow('batch_rows_own_values_check')
    await expect(send(2)).rejects.toThrow('batch_rows_own_values_check')
    await expect(send(3)).resolves.toMatchObject({ rowCount: 1 })
  })
})

describe('Idempotency-Key', () => {
  test('a repeat gets the same batch; other contents are rejected', async () => {
    const headers = { 'idempotency-key': 'b-1' }
    const first = await batch({ name: 'Messe', count: 3 }, headers)
    const again = await batch({ name: 'Messe', count: 3 }, headers)
    const other = await batch({ name: 'Messe', count: 4 }, headers)

    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([202, 202, 'true'])
    expect(again.json().id).toBe(first.json().id)
    expect(other.status).toBe(422)
  })

  test('20 at once: one batch', async () => {
    const headers = { 'idempotency-key': 'b-2' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => batch({ name: 'Messe', count: 3 }, headers)))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    expect(new Set(answers.map((answer) => answer.json().id)).size).toBe(1)
  })
})

test('cancelled: waiting rows are not made, vouchers that were made stay', async () => {
  const id = await accepted({ names: ['Ada', 'Grace', 'Linus'] })
  await simulator.fault('slow', { delayMs: 400 })
  const running = run(id)
  await vi.waitFor(async () => expect((await get(`/batches/${id}`)).under_way).toBe(1), { timeout: 20_000 })
  const cancelled = await post(`/batches/${id}/cancel`)
  await running

  expect(cancelled.json()).toMatchObject({ state: 'running', waiting: 0, under_way: 1, cancelled: 2 })
  expect(await get(`/batches/${id}`)).toMatchObject({ state: 'cancelled', made: 1, cancelled: 2, waiting: 0 })
  const again = await post(`/batches/${id}/cancel`)
  expect([again.status, again.json().state]).toEqual([202, 'cancelled'])
  expect((await post(`/batches/${id}/retry`)).json()).toMatchObject({ state: 'running', made: 1, waiting: 2 })
  await run(id)
  expect(await get(`/batches/${id}`)).toMatchObject({ state: 'done', made: 3, cancelled: 0 })
  expect((await post(`/batches/${id}/retry`)).json()).toMatchObject({ state: 'done', made: 3, waiting: 0 })
})

test('a controller out of reach holds a batch up; when it is back, all are made', async () => {
  const id = await accepted({ name: 'Messe', count: 5 })
  await moveController(`http://127.0.0.1:${await freePort()}`)
  await run(id)
  const stalled = await get(`/batches/${id}`)
  await moveController(simulator.url)
  await run(id)

  expect(stalled).toMatchObject({ state: 'running', waiting: 5, held_up_since: expect.any(String) })
  expect(await get(`/batches/${id}`)).toMatchObject({ state: 'done', made: 5, held_up_since: null })
})

test('rows that could not be made before valid_until fail and say why', async () => {
  const id = await accepted({ name: 'Messe', count: 2, valid_until: new Date(Date.now() + 61_000).toISOString() })
  await app.db.query(`update batches set valid_until = now() - interval '1 second' where id = $1`, [
    readPublicId(id)?.id,
  ])
  await run(id)

  expect(await get(`/batches/${id}`)).toMatchObject({ state: 'done', failed: 2 })
  expect((await get(`/batches/${id}/rows`)).rows[0].failure).toBe('valid_until_passed')
})

describe('nothing more is made', () => {
  const failuresOf = async (id: string) => (await get(`/batches/${id}/rows`)).rows.map(({ failure }: any) => failure)

  test('for a batch whose site was closed; when it is open again, a retry makes the rest', async () => {
    const id = await accepted({ names: ['Ada', 'Grace'] })
    await activateSite(app.db, testActor, site, false)
    await run(id)
    const failures = await failuresOf(id)
    await post(`/batches/${id}/retry`)
    await run(id)
    const closed = await get(`/batches/${id}`)
    await activateSite(app.db, testActor, site, true)
    await post(`/batches/${id}/retry`)
    await run(id)

    expect(failures).toEqual(['site_inactive', 'site_inactive'])
    expect(closed).toMatchObject({ state: 'done', made: 0, failed: 2 })
    expect(await get(`/batches/${id}`)).toMatchObject({ state: 'done', made: 2, failed: 0 })
  })

  test('for a batch whose key was revoked', async () => {
    const leaked = await seedKey(app.db, { scope: 'write' })
    const body = JSON.stringify({ site_id: site, name: 'Messe', count: 2 })
    const { id } = (await app.call('/api/v2/batches', { method: 'POST', key: leaked.key, body })).json()
    await revokeKey(app.db, testActor, leaked.id)
    await run(id)

    expect(await failuresOf(id)).toEqual(['key_revoked', 'key_revoked'])
  })
})

test('429: a key with 100 open batches waits; another one does not', async () => {
  const many = await seedKey(app.db, { scope: 'write' })
  const ask = () =>
    app.call('/api/v2/batches', {
      method: 'POST',
      key: many.key,
      body: JSON.stringify({ site_id: site, name: 'Messe', count: 1 }),
    })
  for (let i = 0; i < 100; i++) expect((await ask()).status).toBe(202)
  const refused = await ask()
  const ofAnother = await batch({ name: 'Messe', count: 1 })
  await app.db.query(
    'update batches set finished_at = now() where id = (select id from batches where api_key_id = $1 limit 1)',
    [many.id],
  )

  expect([refused.status, refused.json().error, refused.headers['retry-after']]).toEqual([
    429,
    'batches_too_many',
    '10',
  ])
  expect(ofAnother.status).toBe(202)
  expect((await ask()).status).toBe(202)
})

test('60 requests at once do not pass the limit of 100 open batches', async () => {
  const many = await seedKey(app.db, { scope: 'write' })
  const body = JSON.stringify({ site_id: site, name: 'Messe', count: 1 })
  const ask = () => app.call('/api/v2/batches', { method: 'POST', key: many.key, body })
  for (let i = 0; i < 80; i++) await ask()
  const statuses = (await Promise.all(Array.from({ length: 60 }, ask))).map(({ status }) => status)

  expect(statuses.filter((status) => status === 202)).toHaveLength(20)
  expect(statuses.filter((status) => status === 429)).toHaveLength(40)
})

test('a repeat after its template was removed gets the batch', async () => {
  const template_id = await seedTemplate(app.db)
  const asked = { name: 'Messe', count: 1, template_id }
  const headers = { 'idempotency-key': 'with-a-template' }
  const first = await batch(asked, headers)
  await removeTemplate(app.db, testActor, template_id)
  const again = await batch(asked, headers)

  expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([202, 202, 'true'])
  expect(again.json().id).toBe(first.json().id)
})

test('CSV: every code as it is printed, no name is a formula', async () => {
  const id = await accepted({ names: ['=1+1', 'a,b;c"d'], reference: '=cmd' })
  await run(id)
  const answer = await app.call(`/api/v2/batches/${id}/vouchers.csv?separator=%3B`, { key })
  const rows = parse(answer.text, { bom: true, delimiter: ';', columns: true }) as Record<string, string>[]
  const listed = (await get(`/batches/${id}/rows`)).rows

  expect(answer.headers['content-disposition']).toBe(`attachment; filename="vouchers-${id}.csv"`)
  expect(rows.map(({ code }) => code)).toEqual(listed.map(({ formatted_code }: any) => formatted_code))
  expect(rows.map(({ name }) => name)).toEqual(["'=1+1", 'a,b;c"d'])
  expect(rows[0]).toMatchObject({ number: '1', outcome: 'made', failure: '', reference: "'=cmd", valid_until: '' })
})

test('batches and rows come in pages, newest batch and first row first', async () => {
  const id = await accepted({ name: 'Messe', count: 5 })
  const first = await get('/batches?limit=1')
  const second = await get(`/batches?limit=1&cursor=${first.next_cursor}`)
  const rows = await get(`/batches/${id}/rows?limit=3`)
  const rest = await get(`/batches/${id}/rows?limit=3&cursor=${rows.next_cursor}`)

  expect([first.batches[0].id, second.batches.length]).toEqual([id, 1])
  expect(second.batches[0].id).not.toBe(id)
  expect([...rows.rows, ...rest.rows].map(({ number }: any) => number)).toEqual([1, 2, 3, 4, 5])
  expect(rest.next_cursor).toBeNull()
})
