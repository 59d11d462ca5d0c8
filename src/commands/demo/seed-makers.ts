import type { Maker, Requester, Role } from '#domain/actor.ts'
import { createKey, type KeyWithSecret } from '#domain/keys/administer-keys.ts'
import { randomBase62, type Scope } from '#domain/keys/key.ts'
import { addPerson } from '#domain/people/administer-staff.ts'
import { hashPassword } from '#domain/people/password.ts'
import type { Context } from '../../context.ts'
import { updateRow } from './demo.queries.ts'

type StaffName = 'johanna' | 'matteo' | 'lena' | 'emre' | 'zofia'
type KeyName = 'hotelSystem' | 'conferenceApp' | 'kiosk' | 'display' | 'automation'

/** The people and keys that made the history of the demo. */
export type DemoMakers = {
  people: Record<StaffName, Maker> & { demo: Maker }
  keys: Record<KeyName, Maker & Pick<KeyWithSecret, 'key' | 'prefix'>>
}

/** Adds five colleagues of the administrator, and five keys. Nobody knows the password of the colleagues. */
export async function seedMakers(
  ctx: Context,
  admin: Requester,
  [main, annex, seminar]: [number, number, number],
): Promise<DemoMakers> {
  const passwordHash = await hashPassword(randomBase62(24), { N: 2 ** 10, r: 8, p: 1 }) // cheap: nobody can guess it
  const add = async (name: string, email: string, role: Role, siteIds?: number[]): Promise<Maker> => {
    const { person } = await addPerson(ctx.db, admin, { name, email, role, siteIds, language: null })
    await updateRow(ctx.db, 'staff', person.id, { password_hash: passwordHash })
    return { kind: 'staff', id: person.id, name }
  }
  const newKey = async (name: string, scope: Scope, rateLimit: number, siteIds?: number[]) => {
    const expiresAt = scope === 'manage' ? new Date(Date.now() + 30 * 86_400_000) : null
    const { id, key, prefix } = await createKey(ctx.db, admin, { name, scope, rateLimit, siteIds, expiresAt })
    return { kind: 'key' as const, id, name, key, prefix }
  }
  return {
    people: {
      demo: { kind: 'staff', id: admin.id, name: admin.name },
      johanna: await add('Johanna Lechner', 'johanna.lechner@example.com', 'manager', [main, annex, seminar]),
      matteo: await add('Matteo Ricci', 'matteo.ricci@example.com', 'manager', [seminar]),
      lena: await add('Lena Brandstätter', 'lena.brandstaetter@example.com', 'desk', [main, annex]),
      emre: await add('Emre Yıldız', 'emre.yildiz@example.com', 'desk', [main, annex]),
      zofia: await add('Zofia Nowak', 'zofia.nowak@example.com', 'desk', [seminar]),
    },
    keys: {
      hotelSystem: await newKey('Hotel system', 'write', 10_000),
      conferenceApp: await newKey('Conference app', 'write', 60, [seminar]),
      kiosk: await newKey('Restaurant kiosk', 'write', 60, [main, annex]),
      display: await newKey('Lobby display', 'read', 10_000),
      automation: await newKey('Automation', 'manage', 10_000),
    },
  }
}
