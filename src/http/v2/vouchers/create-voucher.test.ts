import { describe, expect, test, vi } from 'vitest'
import { removeTemplate } from '#domain/templates/administer-templates.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedKey, seedSite, seedTemplate, testActor } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'

const app = await startApp()
const simulator = await startSimulator()
const site = await seedControlledSite(app.db, simulator)
const { key, id: keyId } = await seedKey(app.db, { scope: 'write' })

const post = (body: object | string, headers: Record<string, string> = {}) =>
  app.call('/api/v2/vouchers', {
    method: 'POST',
    key,
    headers: { 'accept-language': 'en', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify({ site_id: site, name: 'Zimmer 12', ...body }),
  })

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

test('201: the voucher as every other answer shows it, made on the controller as asked', async () => {
  const qos = { down_kbps: 10_000, up_kbps: 2_000, quota_mb: 500 }
  const created = await post({ reference: 'R-4711', max_uses: 3, expire_minutes: 1_440, qos })

  expect(created.status).toBe(201)
  expect(created.headers['voucher-outcome']).toBeUndefined()
  const voucher = created.json()
  expect(voucher).toMatchObject({
    site_id: site,
    name: 'Zimmer 12',
    controller_name: expect.stringMatching(/^\d{4}-\d\d-\d\d_Zimmer 12$/),
    reference: 'R-4711',
    status: 'valid',
    max_uses: 3,
    used_count: 0,
    expire_minutes: 1_440,
    qos,
    valid_until: null,
    created_by: { kind: 'key', id: keyId, name: expect.any(String) },
    batch_id: null,
  })
  expect((await app.call(`/api/v2/vouchers/${voucher.id}`, { key })).json()).toEqual(voucher)
  expect((await app.call('/api/v2/vouchers?reference=R-4711', { key })).json().vouchers).toEqual([voucher])
  const made = (await simulator.vouchers()).filter(({ code }) => code === voucher.code)
  expect(made).toMatchObject([{ name: voucher.controller_name }])
})

test('default limits, and no limit where the request says 0', async () => {
  expect((await post({})).json()).toMatchObject({ max_uses: 1, expire_minutes: 480, qos: { down_kbps: 0 } })
  expect((await post({ max_uses: 0 })).json().max_uses).toBe(0)
})

describe('Idempotency-Key', () => {
  test('a repeat gets the same voucher, as it is now', async () => {
    const headers = { 'idempotency-key': 'a' }
    const first = await post({ reference: 'I-1', valid_until: '2099-01-01T00:00:00Z', expire_minutes: 60 }, headers)
    const again = await post({ reference: 'I-1', valid_until: '2099-01-01T00:00:00Z', expire_minutes: 60 }, headers)

    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true'])
    expect(again.json()).toEqual(first.json())
  })

  test.each([
    { reference: 'other' },
    { valid_until: '2099-01-02T00:00:00Z' },
    { max_uses: 2 },
    { expire_minutes: 61 },
    { name: 'Zimmer 13' },
  ])('422: the same key with another %o', async (change) => {
    const headers = { 'idempotency-key': `b ${JSON.stringify(change)}`.replaceAll(' ', '_') }
    const asked = { reference: 'I-2', valid_until: '2099-01-01T00:00:00Z', expire_minutes: 60 }
    await post(asked, headers)
    const other = await post({ ...asked, ...change }, headers)

    expect([other.status, other.json().error]).toEqual([422, 'idempotency_mismatch'])
  })

  test('a repeat after its template was removed gets the voucher', async () => {
    const template_id = await seedTemplate(app.db)
    const headers = { 'idempotency-key': 'with-a-template' }
    const first = await post({ template_id }, headers)
    await removeTemplate(app.db, testActor, template_id)
    const again = await post({ template_id }, headers)
    const anew = await post({ template_id })

    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true'])
    expect(again.json()).toEqual(first.json())
    expect(anew.status).toBe(400)
  })

  test('a repeat after its template was changed gets the voucher as it was made', async () => {
    const template_id = await seedTemplate(app.db)
    const headers = { 'idempotency-key': 'with-a-changed-template' }
    const first = await post({ template_id }, headers)
    await app.db.query('update templates set expire_minutes = 999 where id = $1', [template_id])

    expect((await post({ template_id }, headers)).json()).toEqual(first.json())
  })

  test('20 at once: one voucher', async () => {
    const before = (await simulator.vouchers()).length
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post({ reference: 'race' }, { 'idempotency-key': 'race' })),
    )

    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
    expect((await simulator.vouchers()).length).toBe(before + 1)
  })
})

describe('valid_until', () => {
  test('minutes never exceed it, and without expire_minutes they last until then', async () => {
    const longer = (await post({ valid_until: inMinutes(90.5), expire_minutes: 600 })).json()
    const shorter = (await post({ valid_until: inMinutes(90.5), expire_minutes: 30 })).json()
    const untilThen = (await post({ valid_until: inMinutes(3 * 1_440 + 0.5) })).json()
    const veryLong = (await post({ valid_until: '2099-01-01T00:00:00Z' })).json()

    const vouchers = [longer, shorter, untilThen, veryLong]
    expect(vouchers.map((voucher) => voucher.expire_minutes)).toEqual([90, 30, 3 * 1_440, 1_000_000])
    const [made] = (await simulator.vouchers()).filter(({ code }) => code === longer.code)
    expect(made?.timeLimitMinutes).toBe(90)
  })

  test.each([inMinutes(-1), inMinutes(0.5), '1970-01-01T00:00:00Z'])('400: %s has passed', async (valid_until) => {
    const before = (await simulator.vouchers()).length
    const answer = await post({ valid_until })

    expect([answer.status, answer.json().message]).toEqual([400, 'valid_until must be at least one minute ahead'])
    expect(answer.headers['voucher-outcome']).toBe('none')
    expect((await simulator.vouchers()).length).toBe(before)
  })

  test.each([
    ['2027-03-28T01:59:59+01:00', '2027-03-28T00:59:59.000Z'], // the last second before the hour that is left out
    ['2027-03-28T03:00:00+02:00', '2027-03-28T01:00:00.000Z'],
    ['2027-10-31T02:30:00+02:00', '2027-10-31T00:30:00.000Z'], // the hour that comes twice: the first one
    ['2027-10-31T02:30:00+01:00', '2027-10-31T01:30:00.000Z'], // and the second
  ])('%s is an instant, whatever the clocks do that night', async (valid_until, instant) => {
    const voucher = (await post({ valid_until })).json()

    expect(voucher.valid_until).toBe(instant)
    const minutes = Math.floor((Date.parse(instant) - Date.parse(voucher.created_at)) / 60_000)
    expect(minutes - voucher.expire_minutes).toBeOneOf([-1, 0, 1])
    expect(Date.parse(voucher.created_at) + voucher.expire_minutes * 60_000).toBeLessThanOrEqual(
      Date.parse(instant) + 1_000,
    )
  })
})

const notATime = 'valid_until must be a date with time and time zone, such as 2026-11-15T11:00:00+01:00'

describe('400', () => {
  test.each([
    ['', 'The body must be a JSON object', ['body wrong_type']],
    ['{', 'The body is not JSON in UTF-8', ['body bad_format']],
    ['[]', 'The body must be a JSON object', ['body wrong_type']],
    ['"x"', 'The body must be a JSON object', ['body wrong_type']],
    ['{"name":"\\ud800"}', 'The body is not JSON in UTF-8', ['body bad_format']],
    ['{}', 'These fields are invalid: site_id, name', ['site_id required', 'name required']],
    [`{"site_id":${site}}`, 'name is required', ['name required']],
    [{ site_id: '1' }, 'site_id must be a whole number', ['site_id wrong_type']],
    [{ name: 5 }, 'name must be a string', ['name wrong_type']],
    [{ name: ' \u200b ' }, 'name is required', ['name required']],
    [{ name: 'a\u0007b' }, 'name contains characters that cannot be printed', ['name unprintable']],
    [{ name: 'x'.repeat(245) }, 'name must have at most 244 characters', ['name too_long']],
    [{ max_uses: -1 }, 'max_uses must be between 0 and 2147483647', ['max_uses out_of_range']],
    [{ max_uses: 1.5 }, 'max_uses must be a whole number', ['max_uses wrong_type']],
    [{ expire_minutes: 0 }, 'expire_minutes must be between 1 and 2147483647', ['expire_minutes out_of_range']],
    [{ expire_minutes: 1_000_001 }, 'expire_minutes must be between 1 and 1000000', ['expire_minutes out_of_range']],
    [{ qos: { down_kbps: 1 } }, 'qos.down_kbps must be between 2 and 100000', ['qos.down_kbps out_of_range']],
    [{ qos: { down: 1 } }, 'There is no field qos.down here', ['qos.down unknown_field']],
    [{ siteId: 1 }, 'There is no field siteId here. Did you mean site_id?', ['siteId unknown_field']],
    [{ reference: '' }, 'reference must have at least 1 character(s)', ['reference too_short']],
    [{ reference: 'a\nb' }, 'reference has the wrong format', ['reference bad_format']],
    [{ valid_until: 'tomorrow' }, notATime, ['valid_until not_a_time']],
    [{ valid_until: '2099-12-31T23:59:60Z' }, notATime, ['valid_until not_a_time']],
    [{ valid_until: '9999-12-31T23:59:59-23:59' }, notATime, ['valid_until not_a_time']], // the year 10000
    [{ valid_until: '2099-12-31' }, expect.stringContaining('a date without a time'), ['valid_until time_missing']],
    [{ valid_until: '2099-12-31T11:00' }, expect.stringContaining('no time zone'), ['valid_until time_zone_missing']],
    [
      { valid_until: '2020-01-01T00:00:00Z' },
      'valid_until must be at least one minute ahead',
      ['valid_until in_the_past'],
    ],
    [
      { valid_until: inMinutes(1_000), extendable_until: inMinutes(1_000_010) },
      expect.stringMatching(
        /^extendable_until must not be after 2\d{3}-.*Z\. A voucher lasts at most 1000000 minutes$/,
      ),
      ['extendable_until too_late'],
    ],
    [
      { valid_until: inMinutes(1_000), extendable_until: '2099-01-01T00:00:00Z', qos: { down_kbps: 1 } },
      'These fields are invalid: qos.down_kbps, extendable_until',
      ['qos.down_kbps out_of_range', 'extendable_until too_late'],
    ],
    [
      { template_id: '00000000-0000-7000-8000-000000000000' },
      'template_id does not exist or cannot be used here',
      ['template_id not_usable'],
    ],
    [{ code: '1' }, 'There is no field code here', ['code unknown_field']],
    [
      { site_id: '1', name: '', nmae: 'x', qos: { up_kbps: 'x' }, valid_until: '2099-12-31' },
      'These fields are invalid: site_id, qos.up_kbps, valid_until, name, nmae',
      [
        'site_id wrong_type',
        'qos.up_kbps wrong_type',
        'valid_until time_missing',
        'name too_short',
        'nmae unknown_field',
      ],
    ],
    [
      { expire_minutes: 1_000_001, qos: { down_kbps: 1, up_kbps: 100_001 } },
      'These fields are invalid: expire_minutes, qos.down_kbps, qos.up_kbps',
      ['expire_minutes out_of_range', 'qos.down_kbps out_of_range', 'qos.up_kbps out_of_range'],
    ],
    [
      { qos: { down_kbps: 1, up_kbps: 1, quota_mb: 2_000_000 }, valid_until: '2020-01-01T00:00:00Z' },
      'These fields are invalid: valid_until, qos.down_kbps, qos.up_kbps, qos.quota_mb',
      [
        'valid_until in_the_past',
        'qos.down_kbps out_of_range',
        'qos.up_kbps out_of_range',
        'qos.quota_mb out_of_range',
      ],
    ],
  ])('%o', async (body, message, fields) => {
    const before = await simulator.creates()
    const answer = await post(body)

    expect([answer.status, answer.json().message]).toEqual([400, message])
    expect(answer.json().errors.map(({ field, code }: any) => `${field} ${code}`)).toEqual(fields)
    expect(answer.headers['voucher-outcome']).toBe('none')
    expect(await simulator.creates()).toBe(before)
  })
})

test('404: a site that is not active, or not there', async () => {
  const inactive = await seedSite(app.db, { active: false })

  expect((await post({ site_id: inactive })).status).toBe(404)
  expect((await post({ site_id: 999_999 })).status).toBe(404)
})

test('502: the controller answered without a voucher', async () => {
  await simulator.fault('empty')
  const answer = await post({})

  expect([answer.status, answer.json().error]).toEqual([502, 'no_voucher'])
  expect(answer.headers['voucher-outcome']).toBe('unknown')
})

test('500 says what is known: a lost answer is looked up, a rejection made nothing', async () => {
  await simulator.fault('forbidden')
  const refused = await post({})
  await simulator.fault('created-then-reset')
  const lost = await post({}, { 'idempotency-key': 'lost' })
  const repeated = await post({}, { 'idempotency-key': 'lost' })

  expect([refused.status, refused.headers['voucher-outcome']]).toEqual([500, 'none'])
  expect([lost.status, lost.headers['voucher-outcome']]).toEqual([500, 'unknown'])
  expect(lost.json().message).toContain('Please repeat with the same Idempotency-Key')
  expect([repeated.status, repeated.headers['retry-after']]).toEqual([409, '1'])
})

test.each([
  ['a process is calling the controller', `state = 'open', sent_at = now()`, 30, 1],
  ['its process has died', `state = 'open', sent_at = now() - interval '14 seconds'`, 16, 16],
  ['it is looked up again and again', `state = 'unknown', sent_at = now() - interval '60 seconds'`, 9, 9],
  ['the lookup waits for the controller', `state = 'unknown', sent_at = now() - interval '90 seconds'`, -600, 30],
])('Retry-After of a 409 says when the outcome may be known: %s', async (_, columns, leaseSeconds, latest) => {
  const key = { 'idempotency-key': `lease-${leaseSeconds}` }
  await simulator.fault('created-then-reset')
  await post({}, key)
  await app.db.query(
    `update creations set ${columns}, lease_until = now() + make_interval(secs => $2) where idempotency_key = $1`,
    [key['idempotency-key'], leaseSeconds],
  )

  const repeated = await post({}, key)

  const seconds = Number(repeated.headers['retry-after'])
  expect([repeated.status, repeated.json().error]).toEqual([409, 'idempotency_in_progress'])
  expect(seconds).toBeLessThanOrEqual(latest)
  expect(seconds).toBeGreaterThan(Math.max(0, latest - 6)) // a busy machine may need seconds for the request
})

test('404: the site is removed while the request is running; no voucher was made', async () => {
  const gone = await seedControlledSite(app.db, simulator)
  let creating: ReturnType<typeof post> | undefined
  await app.db.transaction(async (tx) => {
    await tx.query('select from sites where id = $1 for update', [gone])
    creating = post({ site_id: gone })
    await vi.waitFor(
      async () => {
        const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
        expect((await app.db.query(waiting)).rowCount).toBeGreaterThan(0)
      },
      { timeout: 20_000, interval: 20 },
    )
    await tx.query('delete from sites where id = $1', [gone])
  })
  const answer = await creating

  expect([answer?.status, answer?.json().error, answer?.headers['voucher-outcome']]).toEqual([404, 'not_found', 'none'])
})

test('a voucher lasts until the latest extendable_until that is accepted, on every kind of controller', async () => {
  const classic = await seedControlledSite(app.db, await startSimulator('--flavour', 'self-hosted'), {
    driver: 'unifi-classic',
  })
  for (const site_id of [site, classic]) {
    const stay = { site_id, valid_until: inMinutes(1_000) }
    const german = { 'accept-language': 'de' }
    const rejected = await post({ ...stay, extendable_until: inMinutes(1_000_010) }, german)
    const latest: string = rejected.json().errors[0].allowed.example
    const { id } = (await post({ ...stay, extendable_until: latest })).json()
    const body = JSON.stringify({ valid_until: latest })

    expect(rejected.json().message).toBe(
      `extendable_until darf nicht nach ${latest} liegen. Ein Voucher hält höchstens 1000000 Minuten`,
    )
    expect((await app.call(`/api/v2/vouchers/${id}`, { method: 'PATCH', key, body })).status).toBe(200)
  }
})
