import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedPerson } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { openSetup, setUp, tryOutSetupToken } from './setup.ts'

const visitor = { address: '192.0.2.1', userAgent: 'Test', token: undefined }
const anna = { name: 'Anna', email: 'anna@example.com', password: 'four random words', language: 'de' as const }
const unlimited = async () => ({ allowed: true, remaining: 1, resetSeconds: 60 })
const log = pino({ level: 'silent' })
const open = (db: Awaited<ReturnType<typeof createTestDatabase>>, given?: string) =>
  openSetup(db, { keyring: testKeyring, given })

test('every process shows the same token; it creates one administrator and three templates, and ends', async () => {
  const db = await createTestDatabase()
  const ctx = { db, limiter: unlimited, log }
  const [first, second] = await Promise.all([open(db), open(db)])
  const token = first?.token as string

  await expect(setUp(ctx, visitor, { ...anna, token: `${token}x` })).rejects.toThrow('setup_token_invalid')
  await expect(tryOutSetupToken(ctx, visitor, `${token}x`)).rejects.toThrow('setup_token_invalid')
  await tryOutSetupToken(ctx, visitor, ` ${token.slice(0, 9)}\n  ${token.slice(9)}\u00a0`)
  await tryOutSetupToken(ctx, visitor, `${token}"}`) // the end of a line of the log
  const both = await Promise.allSettled([
    setUp(ctx, visitor, { ...anna, token }),
    setUp(ctx, visitor, { ...anna, email: 'eva@example.com', token }),
  ])

  expect(second).toEqual(first)
  expect(token).toMatch(/^\w{30,}$/)
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const { rows: people } = await db.query('select role, all_sites, language from staff')
  const { rows: templates } = await db.query('select name, site_id from templates order by expire_minutes')
  const { rows: stored } = await db.query('select count(*)::integer as count from setup_token')
  expect(people).toEqual([{ role: 'admin', all_sites: true, language: 'de' }])
  expect(templates.map(({ name }) => name)).toEqual(['Besprechung, 4 Stunden', '1 Tag', '1 Woche'])
  expect([stored[0]?.count, await open(db)]).toEqual([0, undefined])
  await expect(setUp(ctx, visitor, { ...anna, token })).rejects.toThrow('setup_done')
  await expect(tryOutSetupToken(ctx, visitor, token)).rejects.toThrow('setup_done')
})

test('a token ends after a day; the next start makes another one', async () => {
  const db = await createTestDatabase()
  const first = await open(db)
  await db.query(`update setup_token set expires_at = now() - interval '1 second'`)

  const setting = setUp({ db, limiter: unlimited, log }, visitor, { ...anna, token: first?.token as string })
  await expect(setting).rejects.toThrow('setup_token_expired')

  expect((await open(db))?.token).not.toBe(first?.token)
})

test('SETUP_TOKEN replaces the token; a process without it shows none', async () => {
  const db = await createTestDatabase()
  await open(db)

  const given = await open(db, 'a-token-of-the-operator"}')

  expect(given?.token).toBe('a-token-of-the-operator"}')
  expect(await open(db)).toBeUndefined()
  await setUp({ db, limiter: unlimited, log }, visitor, { ...anna, token: 'a-token-of-the-operator"}' })
})

test('the token cannot be read in the database, and a weak password does not end it', async () => {
  const db = await createTestDatabase()
  const { token } = (await open(db)) as { token: string }

  const weak = setUp({ db, limiter: unlimited, log }, visitor, { ...anna, password: 'administrator1', token })
  await expect(weak).rejects.toThrow('password_common')

  const { rows } = await db.query<{ row: string }>('select t::text as row from setup_token t')
  expect(rows[0]?.row).not.toContain(token)
  expect((await open(db))?.token).toBe(token)
})

test('there is no setup once an administrator exists, even one that is not active', async () => {
  const db = await createTestDatabase()
  const { id } = await seedPerson(db, { role: 'admin' })
  await db.query('update staff set active = false where id = $1', [id])

  expect(await open(db)).toBeUndefined()
})
