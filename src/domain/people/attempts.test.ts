import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedPerson } from '#test/data/seed.ts'
import { setUp } from './setup.ts'
import { changePassword, signIn, toActor, usePasswordLink } from './sign-in.ts'
import { findPerson, type Person } from './staff.queries.ts'

const db = await createTestDatabase()
const password = 'four random words'
const typed = 'a secret that was typed'
const visitor = { address: '192.0.2.1', userAgent: 'Test', token: undefined }

/** The limits of sign-ins never apply here. Rejected attempts are counted as the limiter does. */
function newContext() {
  const lines: object[] = []
  const write = (fields: object, message: string) => void lines.push({ ...fields, message })
  let rejected = 0
  const limiter = async (key: string, limit: number) => {
    const count = key.startsWith('rejected:') ? ++rejected : 0
    return { allowed: count <= limit, remaining: Math.max(limit - count, 0), resetSeconds: 60 }
  }
  return { ctx: { db, limiter, log: { info: write, warn: write, error: write } }, lines, countRejected: () => rejected }
}

async function auditOf(id: string) {
  const { rows } = await db.query<{ action: string }>(
    `select action, actor_kind as actor, host(address) as address, details from audit
      where target_id = $1 and action like '%rejected' order by at, id`,
    [id],
  )
  return rows
}

test('a sign-in with a wrong password is logged with the address and the person, and is in the audit', async () => {
  const { id, email } = await seedPerson(db, { password })
  const { ctx, lines } = newContext()

  await expect(signIn(ctx, visitor, { email, password: typed })).rejects.toThrow('sign_in_failed')

  expect(lines).toEqual([
    { signInRejectedFrom: '192.0.2.1', staff: id, reason: 'sign_in_failed', message: 'a sign-in was rejected' },
  ])
  await expect
    .poll(() => auditOf(id))
    .toEqual([{ action: 'staff.sign_in_rejected', actor: 'service', address: '192.0.2.1', details: { attempts: 1 } }])
})

test('a sign-in as nobody is logged without what was typed, and is not in the audit', async () => {
  const { ctx, lines, countRejected } = newContext()

  await expect(signIn(ctx, visitor, { email: typed, password: typed })).rejects.toThrow('sign_in_failed')

  expect(lines).toEqual([
    { signInRejectedFrom: '192.0.2.1', reason: 'sign_in_failed', message: 'a sign-in was rejected' },
  ])
  expect(countRejected()).toBe(0) // an attempt is counted before its entry is written
})

test('too many attempts are logged with their reason', async () => {
  const { email, id } = await seedPerson(db, { password })
  const { ctx, lines } = newContext()
  const limiter = async () => ({ allowed: false, remaining: 0, resetSeconds: 60 })

  await expect(signIn({ ...ctx, limiter }, visitor, { email, password })).rejects.toThrow('sign_ins_too_many')

  expect(lines).toMatchObject([{ signInRejectedFrom: '192.0.2.1', staff: id, reason: 'sign_ins_too_many' }])
})

test('a wrong current password is logged and in the audit', async () => {
  const { id } = await seedPerson(db, { password })
  const actor = toActor((await findPerson(db, id)) as Person, visitor)
  const { ctx, lines } = newContext()

  const change = { sessionId: id, currentPassword: typed, newPassword: 'a brand new phrase' }
  await expect(changePassword(ctx, actor, change)).rejects.toThrow('password_wrong')

  expect(lines).toMatchObject([{ signInRejectedFrom: '192.0.2.1', staff: id, reason: 'password_wrong' }])
  await expect.poll(() => auditOf(id)).toMatchObject([{ action: 'staff.password_rejected', address: '192.0.2.1' }])
})

test('a wrong setup token and a wrong one-time link are logged', async () => {
  const { ctx, lines } = newContext()
  const link = usePasswordLink(ctx, visitor, { token: typed, newPassword: 'a brand new phrase' })
  await expect(link).rejects.toThrow('password_link_invalid')
  const first = { token: typed, name: typed, email: 'a@example.com', password: typed, language: 'en' } as const
  await expect(setUp(ctx, visitor, first)).rejects.toThrow('setup_token_invalid')

  expect(lines).toMatchObject([
    { signInRejectedFrom: '192.0.2.1', reason: 'password_link_invalid' },
    { signInRejectedFrom: '192.0.2.1', reason: 'setup_token_invalid' },
  ])
  expect(JSON.stringify(lines)).not.toContain(typed)
})

test('1,000 rejected attempts of a person add 6 entries to the audit', async () => {
  const { id, email } = await seedPerson(db) // without a password, and with the smallest cost of a check
  const { ctx, lines, countRejected } = newContext()
  await db.query(`update staff set password_hash = 'scrypt$2$1$1$AAAA$${'A'.repeat(43)}' where id = $1`, [id])

  for (let n = 0; n < 1_000; n += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        expect(
          signIn(ctx, { ...visitor, address: `198.51.100.${(n + i) % 250}` }, { email, password: typed }),
        ).rejects.toThrow('sign_in_failed'),
      ),
    )

  expect([lines.length, countRejected()]).toEqual([1_000, 1_000])
  await expect
    .poll(async () => (await auditOf(id)).map((entry) => (entry as any).details.attempts).toSorted())
    .toEqual([1, 10, 100, 2, 3, 30])
  expect(await auditOf(id)).toHaveLength(6)
})

test('the answer does not wait for the audit, so its time does not show that the person exists', async () => {
  const { id, email } = await seedPerson(db, { password })
  const { ctx } = newContext()

  await db.transaction(async (tx) => {
    await tx.query('lock table audit in exclusive mode')
    await expect(signIn(ctx, visitor, { email, password: typed })).rejects.toThrow('sign_in_failed')
  })

  await expect.poll(() => auditOf(id)).toHaveLength(1)
})
