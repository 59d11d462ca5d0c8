import { scryptSync } from 'node:crypto'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Database } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedPerson, testActor } from '#test/data/seed.ts'
import { createPasswordLink, setPerson, signOutPerson } from './administer-staff.ts'
import type { SignInContext } from './attempts.ts'
import { deleteSessions, findCredentials, listSessions } from './sessions.queries.ts'
import { changePassword, signIn, toActor, usePasswordLink } from './sign-in.ts'
import { findPerson, type Person, updatePasswordHash } from './staff.queries.ts'

const db = await createTestDatabase()
const password = 'four random words'
const visitor = { address: '192.0.2.1', userAgent: 'Test', token: undefined }
const unlimited = async () => ({ allowed: true, remaining: 0, resetSeconds: 60 })
const log = pino({ level: 'silent' })
const ctx = { db, limiter: unlimited, log }

/** A context in which something else is committed after the password was checked. */
const meanwhile = (act: () => Promise<unknown>) => ({
  ...ctx,
  db: {
    ...db,
    transaction: async <T>(work: Parameters<Database['transaction']>[0]) => {
      await act()
      return db.transaction(work) as Promise<T>
    },
  } as Database,
})

/** A hash with the smallest parameters, so that a check takes no time. */
function cheapHash(text: string): string {
  const salt = Buffer.alloc(16)
  const hash = scryptSync(text, salt, 32, { N: 2, r: 1, p: 1 })
  return ['scrypt', 2, 1, 1, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

async function newPerson() {
  const { id, email } = await seedPerson(db)
  const [{ id: sessionId } = { id: '' }] = await listSessions(db, id)
  const setPassword = async (text: string) => {
    await updatePasswordHash(db, id, cheapHash(text))
    await deleteSessions(db, id, sessionId)
  }
  await setPassword(password)
  const actor = toActor((await findPerson(db, id)) as Person, { address: '192.0.2.7' })
  const change = (at: SignInContext, newPassword: string) =>
    changePassword(at, actor, { sessionId, currentPassword: password, newPassword })
  return { id, email, setPassword, change }
}
const sessionsOf = async (id: string) =>
  (await db.query('select from staff_sessions where staff_id = $1', [id])).rowCount

test('a sign-in with the old password fails if the password is changed meanwhile', async () => {
  const { id, email, setPassword } = await newPerson()

  const late = signIn(
    meanwhile(() => setPassword('a brand new phrase')),
    visitor,
    { email, password },
  )

  await expect(late).rejects.toThrow('sign_in_failed')
  expect(await sessionsOf(id)).toBe(1) // the one before
})

test('a change with the old password fails if another one is set meanwhile', async () => {
  const { email, setPassword, change } = await newPerson()

  const late = change(
    meanwhile(() => setPassword('a brand new phrase')),
    'the phrase of a thief',
  )

  await expect(late).rejects.toThrow('password_wrong')
  await signIn(ctx, visitor, { email, password: 'a brand new phrase' })
})

test('a change fails if the session is ended meanwhile', async () => {
  const { id, email, change } = await newPerson()

  const late = change(
    meanwhile(() => signOutPerson(db, testActor, { id })),
    'the phrase of a thief',
  )

  await expect(late).rejects.toThrow('session_ended')
  await signIn(ctx, visitor, { email, password })
})

test('a changed password ends the one-time link', async () => {
  const { email, change } = await newPerson()
  const { link } = await createPasswordLink(db, testActor, { email })

  await change(ctx, 'a brand new phrase')

  const use = usePasswordLink(ctx, visitor, { token: link.token, newPassword: 'the phrase of a thief' })
  await expect(use).rejects.toThrow('password_link_invalid')
})

test('a person who is deactivated during the sign-in gets no session, not even after a new activation', async () => {
  const { id, email } = await newPerson()
  const deactivate = () => setPerson(db, testActor, { id }, { active: false })

  await expect(signIn(meanwhile(deactivate), visitor, { email, password })).rejects.toThrow('sign_in_failed')

  await setPerson(db, testActor, { id }, { active: true })
  expect(await sessionsOf(id)).toBe(0)
})

test('every spelling that finds an account counts towards its limit', async () => {
  await seedPerson(db, { email: 'Kiki@example.com' })
  const spellings = [
    'kiki@example.com',
    'KIKI@EXAMPLE.COM',
    '\u212Aiki@example.com',
    'KİKİ@example.com',
    'Kıki@example.com',
  ]
  const counted: string[] = []
  const limiter = async (key: string) => {
    counted.push(key)
    return { allowed: counted.length % 2 === 1, remaining: 0, resetSeconds: 60 } // the second count is that of the account
  }

  const found: string[] = []
  for (const email of spellings) {
    await expect(signIn({ db, limiter, log }, visitor, { email, password })).rejects.toThrow('sign_ins_too_many')
    if ((await findCredentials(db, email, visitor.address)).staffId) found.push(counted.at(-1) as string)
  }

  expect(found.length).toBeGreaterThan(1)
  expect(new Set(found).size).toBe(1)
})
