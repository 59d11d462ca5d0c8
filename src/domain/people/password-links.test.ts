import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import type { Requester, Role } from '../actor.ts'
import { addPerson, createPasswordLink, type PersonChange, setPerson, signOutPerson } from './administer-staff.ts'
import { signOut, toActor, usePasswordLink } from './sign-in.ts'
import { findPerson, type Person } from './staff.queries.ts'

const db = await createTestDatabase()
const [adler, krone] = [await seedSite(db), await seedSite(db)]
const limiter = async () => ({ allowed: true, remaining: 1, resetSeconds: 60 })
const ctx = { db, limiter, log: pino({ level: 'silent' }) }
const visitor = { address: '192.0.2.1', userAgent: 'Test', token: undefined }
await seedPerson(db, { role: 'admin' }) // so that nobody here is the last administrator

async function newActor(role: Role, siteIds?: number[]): Promise<Requester> {
  const { id } = await seedPerson(db, { role, ...(siteIds && { siteIds }) })
  return toActor((await findPerson(db, id)) as Person, visitor)
}
const use = (token: string) => usePasswordLink(ctx, visitor, { token, newPassword: 'four random words' })
const sessionsOf = async (id: string) =>
  (await db.query('select from staff_sessions where staff_id = $1', [id])).rowCount

test.each<[string, Role, number[] | undefined, PersonChange]>([
  ['an administrator is deactivated', 'admin', undefined, { active: false }],
  ['an administrator becomes a manager', 'admin', undefined, { role: 'manager', siteIds: 'all' }],
  ['a manager is deactivated', 'manager', [adler, krone], { active: false }],
  ['a manager becomes desk staff', 'manager', [adler, krone], { role: 'desk' }],
  ['a manager loses a site', 'manager', [adler, krone], { siteIds: [krone] }],
  ['a manager of all sites is limited', 'manager', undefined, { siteIds: [krone] }],
])('the links that somebody created end when %s', async (_, role, siteIds, change) => {
  const creator = await newActor(role, siteIds)
  const other = role === 'admin' ? await newActor('admin') : await newActor('desk', [adler])
  const forgotten = await createPasswordLink(db, creator, { id: other.id })
  const email = `${crypto.randomUUID()}@example.com`
  const request = { name: 'Eva', email, role: 'desk' as const, siteIds: [adler], language: null }
  const invited = await addPerson(db, creator, request)

  await setPerson(db, testActor, { id: creator.id }, change)

  for (const { link } of [forgotten, invited]) await expect(use(link.token)).rejects.toThrow('password_link_invalid')
})

test('links stay valid when their creator loses no rights, and when somebody else loses rights', async () => {
  const [creator, other] = [await newActor('manager', [adler]), await newActor('manager', [adler])]
  const desk = await newActor('desk', [adler])
  const { link } = await createPasswordLink(db, creator, { id: desk.id })

  await setPerson(db, testActor, { id: creator.id }, { name: 'Eva', siteIds: [adler, krone] })
  await setPerson(db, testActor, { id: other.id }, { active: false })

  expect(await use(link.token)).toMatchObject({ person: { id: desk.id } })
})

test('a link that replaces the one of somebody else has a new creator', async () => {
  const [first, second] = [await newActor('admin'), await newActor('admin')]
  const desk = await newActor('desk', [adler])
  await createPasswordLink(db, first, { id: desk.id })
  const { link } = await createPasswordLink(db, second, { id: desk.id })

  await setPerson(db, testActor, { id: first.id }, { active: false })

  expect(await use(link.token)).toMatchObject({ person: { id: desk.id } })
})

test.each([
  ['an administrator signs the person out', (person: Requester) => signOutPerson(db, testActor, { id: person.id })],
  ['the person signs out everywhere', (person: Requester) => signOut(db, person, null)],
])('the open link ends when %s', async (_, act) => {
  const desk = await newActor('desk', [adler])
  const { link } = await createPasswordLink(db, testActor, { id: desk.id })

  await act(desk)

  await expect(use(link.token)).rejects.toThrow('password_link_invalid')
})

test('more rights end the sessions of a person; fewer rights do not', async () => {
  const desk = await newActor('desk', [adler, krone])

  await setPerson(db, testActor, { id: desk.id }, { siteIds: [adler] })
  expect(await sessionsOf(desk.id)).toBe(1)

  await setPerson(db, testActor, { id: desk.id }, { role: 'manager' })
  expect(await sessionsOf(desk.id)).toBe(0)
})
