import { expect, test } from 'vitest'
import { rotateSecrets } from '#domain/secrets/rotate-secrets.ts'
import { startApp } from '#test/app.ts'
import { seedAuthenticatorApp } from '#test/data/second-factors.ts'
import { seedPerson } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { size } from '#test/measuring.ts'
import type { Answer } from '#test/network/http-client.ts'

// An attacker who knows the password of a person, and guesses or has seen a code of the authenticator app.

const app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' })
const password = 'four random words'
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  app.call(`/api/v2${path}`, {
    method: 'POST',
    headers: { origin: app.url, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const errorOf = (answer: Answer) => [answer.status, answer.json().error]

async function victim() {
  const person = await seedPerson(app.db, { password, role: 'admin' })
  return { ...person, app: await seedAuthenticatorApp(app.db, person.id) }
}

/** The cookie of a new sign-in whose second step is missing. */
async function startStep(email: string, headers = {}): Promise<{ cookie: string }> {
  const answer = await post('/session', { email, password }, headers)
  return { cookie: String(answer.headers['set-cookie']?.[0]).split(';', 1)[0] as string }
}

/** Six digits that the app shows neither now nor in the next minutes. */
async function wrongCode({ app: { code } }: Awaited<ReturnType<typeof victim>>): Promise<string> {
  const right = await Promise.all([-2, -1, 0, 1, 2, 3, 4].map(code))
  return ['000000', '111111', '222222', '333333', '444444', '555555', '666666', '777777'].find(
    (each) => !right.includes(each),
  ) as string
}

test('a code that was seen does not work again, also in another sign-in', async () => {
  const person = await victim()
  const code = await person.app.code()

  const first = await post('/session/second-factor', { code }, await startStep(person.email))
  const replayed = await post('/session/second-factor', { code }, await startStep(person.email))
  const older = await post('/session/second-factor', { code: await person.app.code(-1) }, await startStep(person.email))

  expect(first.status).toBe(200)
  expect([errorOf(replayed), errorOf(older)]).toEqual(Array(2).fill([403, 'second_factor_wrong']))
})

test(`two sign-ins at once with one code: one passes, in each of ${size(5, 50)} rounds`, async () => {
  const person = await victim()
  for (let round = 0; round < size(5, 50); round++) {
    await app.db.query('delete from rate_limits') // each round has a rejected code
    await app.db.query('update authenticator_apps set last_step = null where staff_id = $1', [person.id])
    const [code, recovery] = [await person.app.code(), person.app.recoveryCodes[round]]
    const steps = [await startStep(person.email), await startStep(person.email)]
    const answers = await Promise.all(steps.map((step) => post('/session/second-factor', { code }, step)))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
    if (recovery === undefined) continue
    const more = [await startStep(person.email), await startStep(person.email)]
    const used = await Promise.all(
      more.map((step) => post('/session/second-factor', { recovery_code: recovery }, step)),
    )
    expect(used.map(({ status }) => status).toSorted()).toEqual([200, 403])
  }
})

test('the sixth guess in 15 minutes is refused, over all sign-ins and addresses of the attacker', async () => {
  const person = await victim()
  const wrong = await wrongCode(person)
  const guess = async (n: number, body: object) => {
    const headers = { 'x-forwarded-for': `198.51.100.${n}` }
    return (await post('/session/second-factor', body, { ...headers, ...(await startStep(person.email, headers)) }))
      .status
  }

  const statuses: number[] = []
  for (let n = 1; n <= 5; n++) statuses.push(await guess(n, n % 2 ? { code: wrong } : { recovery_code: 'aaaa-aaaa' }))
  const sixth = await guess(6, { code: wrong })
  const right = await guess(7, { code: await person.app.code() })
  const recovery = await guess(8, { recovery_code: person.app.recoveryCodes[0] })

  expect(statuses).toEqual(Array(5).fill(403))
  expect([sixth, right, recovery]).toEqual([429, 429, 429])
  const { rows } = await app.db.query(
    `select details from audit where target_id = $1 and action = 'staff.second_factor_rejected' order by id`,
    [person.id],
  )
  expect(rows.map(({ details }) => details)).toEqual([{ attempts: 1 }, { attempts: 2 }, { attempts: 3 }])
})

test('guesses at the same time count too', async () => {
  const person = await victim()
  const wrong = await wrongCode(person)
  const step = await startStep(person.email)

  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post('/session/second-factor', { code: wrong }, step)),
  )

  expect(answers.filter(({ status }) => status === 403)).toHaveLength(5)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
})

test('a right code begins the count again, so that people who sign in often are not stopped', async () => {
  const person = await victim()
  const wrong = await wrongCode(person)
  const give = async (body: object) =>
    (await post('/session/second-factor', body, await startStep(person.email))).status

  const statuses: number[] = []
  for (const recovery_code of person.app.recoveryCodes.slice(0, 3)) {
    for (let n = 0; n < 4; n++) statuses.push(await give({ code: wrong }))
    statuses.push(await give({ recovery_code }))
  }

  expect(statuses).toEqual([403, 403, 403, 403, 200, 403, 403, 403, 403, 200, 403, 403, 403, 403, 200])
})

test('a thief of a cookie cannot remove the factor: neither at once, nor with the password', async () => {
  const person = await victim()
  await app.db.query(`update staff_sessions set authenticated_at = now() - interval '16 minutes' where staff_id = $1`, [
    person.id,
  ])
  const asThief = (method: string, path: string, body?: object) =>
    app.call(`/api/v2${path}`, { method, session: person.session, ...(body && { body: JSON.stringify(body) }) })

  const removed = await asThief('DELETE', '/me/authenticator-app')
  const again = await asThief('POST', '/session/again', { password })
  const newKey = await asThief('POST', '/keys', { name: 'Mine', scope: 'read' })

  expect([errorOf(removed), errorOf(again), errorOf(newKey)]).toEqual([
    [403, 'sign_in_again'],
    [403, 'sign_in_again_otherwise'],
    [403, 'sign_in_again'],
  ])
})

test('the database holds no secret of an app, no code and no token', async () => {
  const person = await victim()
  const { cookie } = await startStep(person.email)
  const secrets = [person.app.secret, cookie.split('=')[1] as string, ...person.app.recoveryCodes].flatMap((text) => [
    text,
    text.replace('-', ''),
  ])
  const tables = [
    'authenticator_apps',
    'recovery_codes',
    'pending_sign_ins',
    'passkey_challenges',
    'audit',
    'rate_limits',
  ]

  for (const table of tables) {
    const { rows } = await app.db.query<{ row: string }>(`select t::text as row from ${table} t`)
    const text = rows.map(({ row }) => row).join('\n')
    for (const secret of secrets) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  }
})

test('after the encryption keys were rotated, codes and recovery codes still work', async () => {
  const person = await victim()
  const keyring = {
    currentId: 'next',
    keys: new Map([...testKeyring.keys, ['next', Buffer.alloc(32, 9)]]),
  }
  await rotateSecrets(app.db, keyring)
  const { rows } = await app.db.query<{ secret: string }>('select secret from authenticator_apps')
  await rotateSecrets(app.db, { ...keyring, currentId: testKeyring.currentId })

  expect(rows.every(({ secret }) => secret.startsWith('v1.next.'))).toBe(true)
  const [recovery_code] = person.app.recoveryCodes
  const code = await person.app.code()
  expect((await post('/session/second-factor', { code }, await startStep(person.email))).status).toBe(200)
  expect((await post('/session/second-factor', { recovery_code }, await startStep(person.email))).status).toBe(200)
})
