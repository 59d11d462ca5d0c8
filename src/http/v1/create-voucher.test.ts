import { beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { calendarToday } from '#test/calendar.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { timeLimit } from '#test/measuring.ts'
import { startSimulator } from '#test/network/simulator.ts'

const simulator = await startSimulator('--site', 'default=Default', '--site', 'annex=Annex')
const app = await startApp({ TZ: 'Pacific/Kiritimati' })
const site = await seedControlledSite(app.db, simulator, { name: 'Hauptgebäude' })
const { key } = await seedKey(app.db, { scope: 'write', name: 'Check-in' })
const today = calendarToday('Pacific/Kiritimati')

beforeEach(() => simulator.forget())

function post(body: unknown, headers: Record<string, string> = {}, withKey = key) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return app.call('/api/vouchers.php', { method: 'POST', key: withKey, body: text, headers })
}

async function rows(where: string, ...values: unknown[]) {
  return (await app.db.query<any>(`select * from vouchers where ${where}`, values)).rows
}

describe('the processing order', () => {
  test('step 1: key, limit, scope come before the body', async () => {
    const read = (await seedKey(app.db)).key
    for (const [wrong, status] of [
      ['vsk_wrong', 401],
      [read, 403],
    ] as const) {
      const answer = await post('{', {}, wrong)
      expect([answer.status, answer.headers['voucher-outcome']]).toEqual([status, 'none'])
    }
    expect(await simulator.creates()).toBe(0)
  })

  test('step 2: 400 site_id erforderlich comes before the name', async () => {
    const answer = await post({ name: '' })
    expect([answer.status, answer.json()]).toEqual([400, { error: 'invalid_request', message: 'site_id erforderlich' }])
    expect(answer.headers['voucher-outcome']).toBe('none')
  })

  test('step 3: 400 name erforderlich comes before the site is looked up', async () => {
    const answer = await post({ site_id: 999_999, name: '  ' })
    expect([answer.status, answer.json()]).toEqual([400, { error: 'invalid_request', message: 'name erforderlich' }])
  })

  test('step 4: clamps never fail and come before the site is looked up', async () => {
    expect((await post({ site_id: 999_999, name: 'x', max_uses: -5, expire_minutes: 'abc', qos: 7 })).status).toBe(404)
  })

  test('step 5: 404 for a site that is missing, inactive, too large, or not of this key', async () => {
    const inactive = await seedControlledSite(app.db, simulator, { active: false })
    const limited = await seedKey(app.db, { scope: 'write', siteIds: [inactive] })
    const answers = [
      await post({ site_id: 999_999, name: 'x' }),
      await post({ site_id: inactive, name: 'x' }),
      await post({ site_id: 1e300, name: 'x' }),
      await post({ site_id: site, name: 'x' }, {}, limited.key),
    ]
    for (const answer of answers) {
      expect([answer.status, answer.json()]).toEqual([404, { error: 'not_found', message: 'Site nicht gefunden' }])
      expect(answer.headers['voucher-outcome']).toBe('none')
    }
    expect(await simulator.creates()).toBe(0)
  })

  test('step 6: the controller receives the dated name, uses, minutes and qos', async () => {
    const { code } = (
      await post({
        site_id: site,
        name: ' Zimmer 12 ',
        max_uses: 3,
        expire_minutes: 90,
        qos: { down: 5000, up: 1000, quota_mb: 200 },
      })
    ).json()
    const made = (await simulator.vouchers()).find((voucher) => voucher.code === code)

    expect(made).toMatchObject({
      name: `${today()}_Zimmer 12`,
      authorizedGuestLimit: 3,
      timeLimitMinutes: 90,
      rxRateLimitKbps: 5000,
      txRateLimitKbps: 1000,
      dataUsageLimitMBytes: 200,
    })
  })

  test.each(['empty', 'no-code', 'bad-code', 'html-ok', 'truncated', 'deep'])(
    'step 7: 502 when the controller answers without a valid voucher (%s)',
    async (kind) => {
      await simulator.fault(kind)
      const answer = await post({ site_id: site, name: 'x' })

      expect([answer.status, answer.json().error]).toEqual([502, 'upstream_error'])
      expect(answer.json().message).toMatch(/^Der Controller hat keinen gültigen Voucher geliefert\./)
      expect(answer.headers['voucher-outcome']).toBe('unknown')
      expect(await simulator.creates()).toBe(1)
    },
  )

  test("step 8: recorded with site, code, stored name, limits and the controller's id, without a user", async () => {
    const { code } = (await post({ site_id: site, name: 'Gast', qos: { down: 2 } })).json()
    const made = (await simulator.vouchers()).find((voucher) => voucher.code === code)
    const [row] = await rows('site_id = $1 and code = $2', site, code)

    expect(row).toMatchObject({
      site_id: site,
      code,
      controller_name: `${today()}_Gast`,
      max_uses: 1,
      expire_minutes: 480,
      qos_down_kbps: 2,
      controller_voucher_id: made?.id,
      staff_id: null,
      status: 'valid',
    })
  })

  test('steps 8 to 10 are one commit: voucher, outcome, day count, list version, answer', async () => {
    const listVersion = async () =>
      (await app.db.query<any>('select version from site_versions where site_id = $1', [site])).rows[0].version
    const before = await listVersion()
    const { code } = (await post({ site_id: site, name: 'Gast' })).json()
    const [row] = await rows('site_id = $1 and code = $2', site, code)
    const creation = (await app.db.query<any>('select * from creations where id = $1', [row.creation_id])).rows[0]
    const day = (await app.db.query<any>('select created from site_days where site_id = $1', [site])).rows[0]
    const count = (await rows('site_id = $1', site)).length

    expect(creation).toMatchObject({ state: 'recorded', voucher_id: row.id, settled_at: row.created_at })
    expect(day.created).toBe(count)
    expect(await listVersion()).not.toBe(before)
  })

  test('step 10: 201 with exactly the specified fields and effective values', async () => {
    const answer = await post({ site_id: site, name: 'x', max_uses: 0, expire_minutes: -1 })
    const body = answer.json()

    expect(answer.status).toBe(201)
    expect(body).toEqual({
      success: true,
      code: expect.stringMatching(/^\d{10}$/),
      formatted_code: `${body.code.slice(0, 5)}-${body.code.slice(5)}`,
      site: 'Hauptgebäude',
      max_uses: 1,
      expire_minutes: 480,
    })
    expect(answer.headers).not.toHaveProperty('voucher-outcome')
  })
})

test('the voucher is in the next list, under the code of the answer', async () => {
  const { code } = (await post({ site_id: site, name: 'Liste' })).json()
  const list = (await app.call(`/api/vouchers.php?site_id=${site}`, { key })).json().vouchers

  expect(list[0]).toMatchObject({
    voucher_code: code,
    voucher_name: `${today()}_Liste`,
    status: 'valid',
    used_count: 0,
    expires_at: null,
  })
})

test('a site other than default is found on the controller by its reference', async () => {
  const annex = await seedControlledSite(app.db, simulator, { controllerSite: 'annex' })
  const { code } = (await post({ site_id: annex, name: 'x' })).json()
  const vouchers = await simulator.vouchers()
  const inAnnex = vouchers.find((voucher) => voucher.code === code)

  expect(vouchers.filter((voucher) => voucher.siteId === inAnnex?.siteId)).toHaveLength(1)
})

const controllerFailures: [string, number, string, string][] = [
  ['refuse', 500, 'none', 'Der Controller hat die Anfrage abgelehnt. Es wurde kein Voucher erstellt.'],
  ['unauthorized', 500, 'none', 'Der Controller hat die Anfrage abgelehnt. Es wurde kein Voucher erstellt.'],
  ['forbidden', 500, 'none', 'Der Controller hat die Anfrage abgelehnt. Es wurde kein Voucher erstellt.'],
  ['too-many', 500, 'none', 'Der Controller ist ausgelastet. Es wurde kein Voucher erstellt.'],
  ['server-error', 500, 'unknown', 'Der Controller hat die Anfrage nicht beantwortet. Ob'],
  ['gateway-html', 500, 'unknown', 'Der Controller hat die Anfrage nicht beantwortet. Ob'],
  ['created-then-error', 500, 'unknown', 'Der Controller hat die Anfrage nicht beantwortet. Ob'],
  ['created-then-reset', 500, 'unknown', 'Der Controller hat die Anfrage nicht beantwortet. Ob'],
  ['reset', 500, 'unknown', 'Der Controller hat die Anfrage nicht beantwortet. Ob'],
  ['huge', 502, 'unknown', 'Der Controller hat keinen gültigen Voucher geliefert. Ob'],
  ['hang-after', 500, 'unknown', 'Der Controller hat nicht rechtzeitig geantwortet. Ob'],
]

test.concurrent.each(controllerFailures)('%s: %i, outcome %s', async (kind, status, outcome, message) => {
  const own = await startSimulator()
  const ownSite = await seedControlledSite(app.db, own)
  await own.fault(kind)

  const answer = await post({ site_id: ownSite, name: 'x' })
  const { rows: creations } = await app.db.query<any>('select state from creations where site_id = $1', [ownSite])
  await own.stop()

  expect([answer.status, answer.headers['voucher-outcome']]).toEqual([status, outcome])
  expect(answer.json().error).toBe(status === 502 ? 'upstream_error' : 'server_error')
  expect(answer.json().message.startsWith(message)).toBe(true)
  expect(answer.text).not.toMatch(/127\.0\.0\.1|html|api\.|stack/i)
  expect(creations).toEqual([{ state: outcome === 'none' ? 'rejected' : 'unknown' }])
})

test('unknown fields in the reply of the controller are ignored', async () => {
  await simulator.fault('extra-fields')

  expect((await post({ site_id: site, name: 'x' })).status).toBe(201)
})

test('nothing listens at the address: 500, outcome none, and the message says so', async () => {
  const nowhere = await seedControlledSite(app.db, { url: `http://127.0.0.1:${await freePort()}`, apiKey: 'x' })
  const answer = await post({ site_id: nowhere, name: 'x' })

  expect([answer.status, answer.json()]).toEqual([
    500,
    { error: 'server_error', message: 'Controller nicht erreichbar. Es wurde kein Voucher erstellt.' },
  ])
  expect(answer.headers['voucher-outcome']).toBe('none')
  expect(answer.headers['retry-after']).toBe('5')
})

test('a site that does not exist on the controller: 500, outcome none', async () => {
  const unknown = await seedControlledSite(app.db, simulator, { controllerSite: "no'where" })
  const answer = await post({ site_id: unknown, name: 'x' })

  expect([answer.status, answer.headers['voucher-outcome']]).toEqual([500, 'none'])
  expect(await simulator.creates()).toBe(0)
})

test('four calls at once per controller; a request that gets no slot within 2 s is answered that no voucher was made', async () => {
  const own = await startSimulator()
  const ownSite = await seedControlledSite(app.db, own)
  await own.fault('slow', { times: 8, delayMs: 2_500 })

  const answers = await Promise.all(Array.from({ length: 6 }, () => post({ site_id: ownSite, name: 'x' })))
  const busy = answers.filter((answer) => answer.status === 500)

  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(4)
  expect(busy).toHaveLength(2)
  for (const answer of busy) {
    expect(answer.json().message).toBe('Der Controller ist ausgelastet. Es wurde kein Voucher erstellt.')
    expect([answer.headers['voucher-outcome'], answer.headers['retry-after']]).toEqual(['none', '2'])
  }
  expect(await own.vouchers()).toHaveLength(4)
})

test('no database connection is held while the controller is waited for', async () => {
  const own = await startSimulator()
  const sites = await Promise.all(Array.from({ length: 6 }, () => seedControlledSite(app.db, own)))
  await own.fault('slow', { times: 24, delayMs: 2_500 })
  const waiting = sites.flatMap((id) => [1, 2, 3, 4].map(() => post({ site_id: id, name: 'x' })))
  await new Promise((resolve) => setTimeout(resolve, 800))

  const begin = performance.now()
  expect((await app.call('/api/sites.php', { key })).status).toBe(200)
  expect(performance.now() - begin).toBeLessThan(timeLimit(1_000))
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 201))
})
