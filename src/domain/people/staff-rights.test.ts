import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { untilWaitingForLock } from '#test/data/lock-waits.ts'
import { seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import type { Requester, Role } from '../actor.ts'
import { addPerson, createPasswordLink, setOwnPreferences, setPerson, signOutPerson } from './administer-staff.ts'
import { listStaffPage } from './managed-staff.queries.ts'
import { toActor, usePasswordLink } from './sign-in.ts'
import { findPerson, type Person } from './staff.queries.ts'

const db = await createTestDatabase()
const [adler, krone, mole] = [await seedSite(db), await seedSite(db), await seedSite(db)]
const limiter = async () => ({ allowed: true, remaining: 1, resetSeconds: 60 })
const ctx = { db, limiter, log: pino({ level: 'silent' }) }
const visitor = { address: '192.0.2.1', userAgent: 'Test', token: undefined }

async function newActor(role: Role, siteIds?: number[]): Promise<Requester> {
  const { id } = await seedPerson(db, { role, ...(siteIds && { siteIds }) })
  return toActor((await findPerson(db, id)) as Person, visitor)
}
const newDesk = async (siteIds?: number[]) => (await seedPerson(db, siteIds ? { siteIds } : {})).id
const invite = (actor: Requester, rights: { role?: Role; siteIds?: number[] | undefined }) =>
  addPerson(db, actor, {
    name: 'Eva',
    email: `${crypto.randomUUID()}@example.com`,
    role: 'desk',
    siteIds: undefined,
    language: null,
    ...rights,
  })
const sessionsOf = async (id: string) =>
  (await db.query('select from staff_sessions where staff_id = $1', [id])).rowCount
const auditOf = async (id: string) =>
  (
    await db.query<{ action: string; details: object }>(
      `select action, details from audit where target_id = $1 and action <> 'staff.signed_in' order by id`,
      [id],
    )
  ).rows.at(-1)

const admin = await newActor('admin')

test('a manager sees and manages only people of the desk whose sites are all among their own', async () => {
  const manager = await newActor('manager', [adler, krone])
  const within = [await newDesk([adler]), await newDesk([adler, krone])]
  const beyond = [
    await newDesk([adler, mole]),
    await newDesk([]),
    await newDesk(),
    (await newActor('manager', [adler])).id,
    admin.id,
    manager.id,
  ]

  const seen = (await listStaffPage(db, manager.id, { limit: null })).map(({ id }) => id)

  expect(new Set(seen)).toEqual(new Set(within))
  for (const id of within) await setPerson(db, manager, { id }, { name: 'Eva' })
  for (const id of beyond) {
    const acts = [
      () => setPerson(db, manager, { id }, { name: 'Eva' }),
      () => createPasswordLink(db, manager, { id }),
      () => signOutPerson(db, manager, { id }),
    ]
    for (const act of acts) await expect(act()).rejects.toThrow('person_not_found')
  }
})

test('a manager of all sites manages the desk of all sites, but no managers', async () => {
  const manager = await newActor('manager')
  const ids = [await newDesk(), await newDesk([mole])]

  for (const id of ids) await setPerson(db, manager, { id }, { name: 'Eva' })
  const { person } = await invite(manager, {})

  expect(person.allSites).toBe(true)
  const other = await newActor('manager', [mole])
  await expect(setPerson(db, manager, { id: other.id }, { name: 'Eva' })).rejects.toThrow('person_not_found')
})

test.each([
  ['the role manager', { role: 'manager' as const, siteIds: [adler] }, 'rights_beyond_own'],
  ['the role admin', { role: 'admin' as const }, 'rights_beyond_own'],
  ['all sites', {}, 'rights_beyond_own'],
  ['a site of somebody else', { siteIds: [adler, mole] }, 'site_not_found'],
])('a manager cannot give %s, neither to a new person nor to an existing one', async (_, rights, code) => {
  const manager = await newActor('manager', [adler, krone])
  const id = await newDesk([adler])

  await expect(invite(manager, rights)).rejects.toThrow(code)
  const change = { siteIds: 'all' as const, ...rights }
  await expect(setPerson(db, manager, { id }, change)).rejects.toThrow(code)
  expect(await findPerson(db, id)).toMatchObject({ role: 'desk', allSites: false, siteIds: [adler] })
})

test('desk staff and API keys manage nobody', async () => {
  const desk = await newActor('desk', [adler])
  const id = await newDesk([adler])
  const key = { kind: 'key' as const, id: crypto.randomUUID(), name: 'Key', allSites: true }

  for (const actor of [desk, key]) {
    await expect(invite(actor, { siteIds: [adler] })).rejects.toThrow('rights_beyond_own')
    expect(await listStaffPage(db, actor.id, { limit: null })).toEqual([])
    await expect(setPerson(db, actor, { id }, { name: 'Eva' })).rejects.toThrow(/person_not_found|rights_beyond_own/)
  }
})

test('administrators cannot change their own role, deactivate themselves or create a link for themselves', async () => {
  const other = await newActor('admin')

  const acts = [
    () => setPerson(db, other, { id: other.id }, { role: 'desk', siteIds: [adler] }),
    () => setPerson(db, other, { id: other.id }, { active: false }),
    () => createPasswordLink(db, other, { id: other.id }),
  ]

  for (const act of acts) await expect(act()).rejects.toThrow('own_account')
  expect(await setPerson(db, other, { id: other.id }, { name: 'Eva', role: 'admin', active: true })).toMatchObject({
    name: 'Eva',
    role: 'admin',
  })
  expect((await setOwnPreferences(db, other, { language: 'de' })).language).toBe('de')
})

test('two administrators who deactivate each other: one of them stays', async () => {
  const db = await createTestDatabase()
  const people = await Promise.all([1, 2].map(() => seedPerson(db, { role: 'admin' })))
  const [a, b] = (await Promise.all(people.map(({ id }) => findPerson(db, id)))) as [Person, Person]

  const outcomes = await Promise.allSettled([
    setPerson(db, toActor(a, visitor), { id: b.id }, { active: false }),
    setPerson(db, toActor(b, visitor), { id: a.id }, { active: false }),
  ])

  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('deactivating ends the sessions and the link at once, and is recorded with before and after', async () => {
  const id = await newDesk([adler])
  const { link } = await createPasswordLink(db, admin, { id })

  await setPerson(db, admin, { id }, { active: false })

  expect(await sessionsOf(id)).toBe(0)
  const use = usePasswordLink(ctx, visitor, { token: link.token, newPassword: 'four random words' })
  await expect(use).rejects.toThrow('password_link_invalid')
  expect(await auditOf(id)).toEqual({
    action: 'staff.changed',
    details: { name: 'Anna', changes: { active: false }, before: { active: true } },
  })
})

test('more rights end an open link, because its creator may not have these rights; fewer rights do not', async () => {
  const manager = await newActor('manager', [adler, krone])
  for (const change of [{ role: 'manager' as const }, { siteIds: [adler, mole] }, { siteIds: 'all' as const }]) {
    const id = await newDesk([adler])
    const { link } = await createPasswordLink(db, manager, { id })
    await setPerson(db, admin, { id }, change)
    const use = usePasswordLink(ctx, visitor, { token: link.token, newPassword: 'four random words' })
    await expect(use).rejects.toThrow('password_link_invalid')
  }
  const id = await newDesk([adler, krone])
  const { link } = await createPasswordLink(db, manager, { id })
  await setPerson(db, admin, { id }, { siteIds: [adler], name: 'Eva' })
  await usePasswordLink(ctx, visitor, { token: link.token, newPassword: 'four random words' })
})

test('signing somebody out everywhere ends all sessions and is recorded', async () => {
  const id = await newDesk([adler])

  await signOutPerson(db, await newActor('manager', [adler]), { id })

  expect(await sessionsOf(id)).toBe(0)
  expect(await auditOf(id)).toEqual({ action: 'staff.signed_out', details: { name: 'Anna', sessions: 1 } })
})

/** Changes a person in a transaction that commits only when `late` waits for it. */
async function meanwhile<T>(change: (tx: Queryable) => Promise<unknown>, late: () => Promise<T>): Promise<T> {
  const gone = Promise.withResolvers<void>()
  const changed = Promise.withResolvers<void>()
  const done = db.transaction(async (tx) => {
    await change(tx)
    changed.resolve()
    await gone.promise
  })
  await changed.promise
  const outcome = late()
  outcome.catch(() => {}) // handled by the caller
  await untilWaitingForLock(db)
  gone.resolve()
  await done
  return outcome
}

const loseSite = (id: string, siteId: number) => async (tx: Queryable) => {
  await tx.query('select from staff where id = $1 for no key update', [id])
  await tx.query('update staff set name = name where id = $1', [id])
  await tx.query('delete from staff_sites where staff_id = $1 and site_id = $2', [id, siteId])
}
const set = (id: string, columns: string) => (tx: Queryable) =>
  tx.query(`update staff set ${columns} where id = $1`, [id])

test('a manager who loses a site while inviting cannot give it', async () => {
  const manager = await newActor('manager', [adler, krone])

  const late = meanwhile(loseSite(manager.id, krone), () => invite(manager, { siteIds: [adler, krone] }))

  await expect(late).rejects.toThrow('site_not_found')
})

test('a manager who loses a site in the meantime no longer manages its desk', async () => {
  const manager = await newActor('manager', [adler, krone])
  const id = await newDesk([krone])

  const late = meanwhile(loseSite(manager.id, krone), () => createPasswordLink(db, manager, { id }))

  await expect(late).rejects.toThrow('person_not_found')
})

test.each([`role = 'desk'`, 'active = false'])(
  'a manager who is set to %s while inviting cannot invite',
  async (columns) => {
    const manager = await newActor('manager', [adler])

    const late = meanwhile(set(manager.id, columns), () => invite(manager, { siteIds: [adler] }))

    await expect(late).rejects.toThrow('rights_beyond_own')
  },
)

test('an administrator who loses the role in the meantime cannot make somebody an administrator', async () => {
  const former = await newActor('admin')
  const id = await newDesk([adler])

  const late = meanwhile(set(former.id, `role = 'manager'`), () => setPerson(db, former, { id }, { role: 'admin' }))

  await expect(late).rejects.toThrow('rights_beyond_own')
})

test.each([`role = 'manager'`, 'all_sites = true'])(
  'a person who gets %s meanwhile gets no link from a manager',
  async (columns) => {
    const manager = await newActor('manager', [adler])
    const id = await newDesk([adler])

    const late = meanwhile(set(id, columns), () => createPasswordLink(db, manager, { id }))

    await expect(late).rejects.toThrow('person_not_found')
  },
)

test('a link that is created while the person becomes an administrator does not survive it', async () => {
  const manager = await newActor('manager', [adler])
  const id = await newDesk([adler])

  await Promise.allSettled([
    createPasswordLink(db, manager, { id }),
    setPerson(db, testActor, { id }, { role: 'admin' }),
  ])

  expect((await db.query('select from password_links where staff_id = $1', [id])).rowCount).toBe(0)
})
