import {
  type Arbitrary,
  anything,
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  integer,
  json,
  oneof,
  option,
  record,
  string,
  tuple,
  uniqueArray,
} from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { jpeg, png } from '#test/data/images.ts'
import {
  seedBatch,
  seedControlledSite,
  seedController,
  seedKey,
  seedPerson,
  seedTemplate,
  seedVoucher,
  seedWebhook,
} from '#test/data/seed.ts'
import { isLong, report, size } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { nameCursor, numberCursor, placeCursor, siteItemCursor, timeCursor } from './kit/pages.ts'
import { operations } from './register-v2.ts'

const app = await startApp()
const simulator = await startSimulator()
const { key } = await seedKey(app.db, { scope: 'manage' })
const site = await seedControlledSite(app.db, simulator)
const id = await seedVoucher(app.db, site)
/** More vouchers, because the requests soon revoke each of them. */
const more = await Promise.all(Array.from({ length: 50 }, () => seedVoucher(app.db, site)))
const ended = await seedVoucher(app.db, site, { status: 'revoked' })
const batch = await seedBatch(app.db, site)
const template = await seedTemplate(app.db)
const webhook = await seedWebhook(app.db)
const { rows: controllerRows } = await app.db.query<{ id: string }>('select id from controllers')
const controller = controllerRows[0]?.id as string
/** A controller whose address the requests may change. No site uses it. */
const spareController = await seedController(app.db)

const unhandled: unknown[] = []
const remember = (reason: unknown) => unhandled.push(reason)
process.on('unhandledRejection', remember)
onFileEnd(() => process.off('unhandledRejection', remember))

/** Meaningful values, values at a limit, and noise. */
const meaningful = [
  ...['1', '0', '-1', '200', '201', '2147483647', '2147483648', '1e3', '1e400', '0x1', '9'.repeat(400), 'NaN', 'null'],
  ...['valid', 'used', 'expired', 'revoked', 'VALID', '48614-09510', '- -', '%', '_', '\\', "'", ';', 'true'],
  ...['\u0000', '\ud800', '🙂'],
  ...['2026-11-14T22:46:00Z', '2026-12-31T23:59:60Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999+23:59'],
  ...['2026-02-30T00:00:00Z', '-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z', '2026-11-14 22:46:00 Z'],
  ...[String(site), id, `${site}-${id}`, `${site}-${batch}`, `0-${id}`, `2147483648-${id}`],
  ...['00000000-0000-0000-0000-000000000000', `urn:uuid:${id}`],
  ...[numberCursor(site), numberCursor(2 ** 31), numberCursor(1e20)],
  ...['', '\u0000', '\ud800', 'x'.repeat(201)].map((name) => nameCursor({ name, id })),
  ...[0, 8.64e15, -1, 253402300799999].map((ms) => timeCursor({ createdAt: new Date(ms), id })),
]
const value = oneof(constantFrom(...meaningful), string({ unit: 'binary', maxLength: 40 }), string({ maxLength: 300 }))

/** Most parameters are valid, so that a request gets far enough for an invalid one to matter. */
const fitting: Record<string, string[]> = {
  site_id: [String(site), String(site), '999999'],
  status: ['valid', 'used', 'expired', 'revoked'],
  text: ['Gast', '%', '\\', "'", '🙂'],
  reference: ['R-1', '%', "'"],
  created_by: [id, '00000000-0000-0000-0000-000000000000', `urn:uuid:${id}`],
  batch_id: [`${site}-${batch}`],
  created_after: ['2026-11-14T22:46:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999+23:59'],
  created_before: ['2026-11-14T22:46:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999-23:59'],
  code: ['48614-09510', '4', 'x'],
  limit: ['1', '200'],
  separator: [',', ';'],
  unused: ['true', 'false'],
  extendable_until: ['2099-02-01T00:00:00+02:00', '9999-12-31T23:59:59-23:59', '2020-01-01T00:00:00Z'],
  template_id: [template],
  before: [template],
  controller_id: [controller, '00000000-0000-7000-8000-000000000000'],
  controller_site: ['default', 'branch', 'nowhere', '🙂', "'"],
  driver: ['unifi-integration', 'unifi-classic', 'constructor', '__proto__'],
  address: [simulator.url, 'https://127.0.0.1:1', 'http://127.0.0.1:1/x', 'ftp://127.0.0.1', 'https://u:p@127.0.0.1'],
  accent_color: ['#7a1f2b', '#FFFFFF', '#000000', '#12345', '#12345g', 'red', '\u0000'],
  certificate_pin: ['AB:CD', Array(32).fill('AB').join(':')],
  username: ['admin', 'me@example.com'],
  url: [
    'http://127.0.0.1:9/hook',
    'https://10.0.0.1/',
    'https://u:p@127.0.0.1/',
    'https://example.com/hook',
    'ftp://x',
  ],
  valid_until: ['2099-01-01T00:00:00+02:00', '9999-12-31T23:59:59-23:59', '2020-01-01T00:00:00Z'],
  name: ['Gast', 'Zimmer 12', '🙂', "'; drop table vouchers; --"],
  wifi_name: ['Gäste', 'x'.repeat(33), '\u0000'],
  wifi_password: ['a good password', 'short'],
  time_zone: ['Europe/Vienna', 'Nowhere', '+01:00', ''],
  footer: ['Rezeption: 9', '\u0000', ' '],
  email: ['anna@example.com', 'x', '\u0000@x'],
  password: ['four random words', 'short', ''],
  new_password: ['four random words', 'short', ''],
  names: ['Ada', 'Grace', '=1+1'],
  cursor: [
    numberCursor(site),
    siteItemCursor({ siteId: site, id }),
    timeCursor({ createdAt: new Date(), id }),
    timeCursor({ createdAt: new Date(0), id }),
    ...[null, 0, 2 ** 31].map((position) => placeCursor({ position, expireMinutes: 60, id })),
    ...['8 Stunden', '\u0001', '\uffff', '🙂'.repeat(200)].map((name) => nameCursor({ name, id })),
  ],
}

const nobody = '00000000-0000-7000-8000-000000000000'
const idsByPath: Record<string, string[]> = {
  settings: [String(site)],
  sites: [String(site)],
  controllers: [spareController],
  templates: [template],
  webhooks: [webhook],
  vouchers: [id, ...Array<string>(20).fill(ended), ...more].map((each) => `${site}-${each}`),
  batches: [`${site}-${batch}`],
}

/** Images that are cut off or have a changed byte. */
const image = tuple(
  constantFrom(png, jpeg, Buffer.from('<svg/>')),
  option(integer({ min: 0, max: 800 }), { freq: 2 }),
  boolean(),
).map(([bytes, at, isCut]) => {
  if (at === null) return bytes
  if (isCut) return bytes.subarray(0, at)
  return Buffer.from(bytes).fill(0xff, at % bytes.length, (at % bytes.length) + 1)
})

const mostly = <T>(meant: Arbitrary<T>, noise: Arbitrary<unknown>) =>
  oneof({ arbitrary: meant as Arbitrary<unknown>, weight: 29 }, { arbitrary: noise, weight: 1 })

type JsonSchema = Record<string, any>

/** Values that a schema allows, and now and then one that it does not. */
function fromSchema(schema: JsonSchema, name = ''): Arbitrary<unknown> {
  const noise = oneof(value, anything({ maxDepth: 1, withBigInt: false }))
  const kinds: string[] = [schema['type'] ?? []].flat()
  if (fitting[name] && kinds.includes('string')) return mostly(constantFrom(...fitting[name]), noise)
  if (schema['enum']) return mostly(constantFrom(...schema['enum']), noise)
  switch (kinds[0]) {
    case 'object':
      return mostly(fieldsOf(schema), noise)
    case 'array': {
      const bounds = { minLength: schema['minItems'] ?? 0, maxLength: Math.min(schema['maxItems'] ?? 5, 5) }
      return mostly(array(fromSchema(schema['items'], name), bounds), noise)
    }
    case 'integer':
      return mostly(oneof(constant(site), integer({ min: schema['minimum'] ?? 0, max: 2_000 })), noise)
    case 'boolean':
      return mostly(boolean(), noise)
    default:
      return mostly(constantFrom('R-1', id), noise)
  }
}

function fieldsOf(schema: JsonSchema): Arbitrary<Record<string, unknown>> {
  const required: string[] = schema['required'] ?? []
  const fields = Object.entries(schema['properties'] as Record<string, JsonSchema>).map(([name, field]) => [
    name,
    name === 'site_id' && field['type'] === 'integer'
      ? constant(site)
      : name === 'active'
        ? constant(true) // an inactive site would answer all creations with 404
        : fromSchema(field, name),
  ])
  return record(Object.fromEntries(fields), { requiredKeys: required })
}

/** Valid bodies of the creations: few generated ones are valid in every field, and only those use up an Idempotency-Key. */
const validBodies: Record<string, unknown[]> = {
  '/vouchers': [
    { site_id: site, name: 'Gast' },
    { site_id: site, name: 'Ada', expire_minutes: 60 },
  ],
  '/batches': [
    { site_id: site, name: 'Gast', count: 2 },
    { site_id: site, names: ['Ada', 'Grace'] },
  ],
  '/revocations': [{ filter: { reference: 'R-1' } }, { filter: { site_id: [site], reference: 'R-2' } }],
}
const creations = operations.filter((each) => each.acceptsIdempotencyKey && each.method === 'POST')
const request = constantFrom(...operations, ...creations, ...creations).chain(
  ({ method, path, query, body, ...operation }) => {
    const known = oneof(
      ...Object.keys(query?.properties ?? { nothing: 1 }).map((name) =>
        tuple(constant(name), mostly(constantFrom(...(fitting[name] ?? [''])), value) as Arbitrary<string>),
      ),
    )
    const noise = tuple(constantFrom('__proto__', 'constructor', 'site_id[]', ''), value)
    const pairs = uniqueArray(oneof({ arbitrary: known, weight: 49 }, { arbitrary: noise, weight: 1 }), {
      maxLength: 5,
      selector: ([name]) => name,
    })
    const asked = (query ? pairs : mostly(constant([]), pairs)) as typeof pairs
    const fittingIds = idsByPath[path.split('/')[1] ?? ''] ?? [nobody]
    const segment = mostly(
      oneof({ arbitrary: constantFrom(...fittingIds), weight: 3 }, { arbitrary: constant(nobody), weight: 1 }),
      value,
    ) as Arbitrary<string>
    const valid = method === 'POST' ? (validBodies[path] ?? []) : []
    const text = operation.upload
      ? image
      : body
        ? oneof(
            { arbitrary: fromSchema(body).map(toText), weight: 9 },
            { arbitrary: constantFrom('', ...valid.map(toText)), weight: valid.length * 3 },
            { arbitrary: oneof(json(), value), weight: 1 },
          )
        : option(value, { nil: '', freq: 2 })
    const headers =
      operation.acceptsIdempotencyKey || operation.asksAboutIdempotencyKey
        ? option(mostly(constantFrom('a', 'b', 'c'), string({ maxLength: 300 })), { nil: undefined })
        : constant(undefined)
    const isByPerson = operation.scope ? mostly(constant(false), constant(true)) : constant(true)
    return tuple(segment, asked, text, headers, isByPerson).map(([at, asked, text, idempotencyKey, isByPerson]) => ({
      method,
      isByPerson,
      url: `${path.replace('{id}', () => encodeURIComponent(at.toWellFormed()))}?${new URLSearchParams(asked as [string, string][])}`,
      ...(method !== 'GET' && method !== 'DELETE' && { body: text }),
      headers: {
        ...(typeof idempotencyKey === 'string' &&
          /^[\x20-\x7e]+$/.test(idempotencyKey) && { 'idempotency-key': idempotencyKey }),
        ...(operation.upload && { 'content-type': 'image/png' }),
      },
    }))
  },
)

function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

/** The answers that a short run gets about twenty times or more, and those that only a long run is sure to get. */
const common = ['DELETE 404', 'GET 200', 'GET 400', 'GET 404', 'PATCH 400', 'POST 2xx', 'POST 400']
const rare = [
  'PATCH 200',
  'PATCH 404',
  'PATCH 409',
  'PATCH 422',
  'POST 201',
  'POST 202',
  'POST 404',
  'POST 422',
  'PUT 204',
  'PUT 400',
  'PUT 415',
]

/** The administrator who sends some requests. Another one follows when this one signs out or reaches the rate limit. */
let person = await seedPerson(app.db, { role: 'admin' })

test('every request gets an answer that the document describes, never a 5xx', { timeout: 3_600_000 }, async () => {
  const statuses = new Map<string, number>()
  await assert(
    asyncProperty(request, async ({ url, isByPerson, ...asked }) => {
      const caller = isByPerson ? { session: person.session } : { key }
      const { status, text, json } = await app.call(`/api/v2${url}`, { ...asked, ...caller })
      if (isByPerson && (status === 401 || status === 429)) person = await seedPerson(app.db, { role: 'admin' })
      const counted = `${asked.method} ${status}`
      statuses.set(counted, (statuses.get(counted) ?? 0) + 1)
      expect(status, text).toBeLessThan(500)
      if (status === 400) expect(json().errors?.length, text).toBeGreaterThan(0)
    }),
    { numRuns: size(400, 100_000) },
  )
  report(
    'generated requests',
    [...statuses]
      .toSorted()
      .map((counted) => counted.join(': '))
      .join('; '),
  )
  const answers = [...statuses.keys()].flatMap((answer) => [answer, answer.replace(/\d\d$/, 'xx')])
  expect(answers).toEqual(expect.arrayContaining(isLong ? [...common, ...rare] : common))
  expect(unhandled).toEqual([])
})
