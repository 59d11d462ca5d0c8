import type { Queryable } from '#db/database.ts'
import type { Retention } from '#db/retention.queries.ts'
import type { Role } from '../actor.ts'
import { signsInOnlyByProviderSql } from './identities.queries.ts'

/** A kind of second factor. Recovery codes belong to the authenticator app. */
export type FactorKind = 'app' | 'passkey' | 'recovery_code'

/** The kinds of second factors that a person has, in the order in which pages offer them. */
export async function listFactorKinds(db: Queryable, staffId: string): Promise<FactorKind[]> {
  const { rows } = await db.query<{ kind: FactorKind }>(
    `select kind from (
       select 1 as place, 'app' as kind from authenticator_apps where staff_id = $1 and activated_at is not null
       union all
       select 2, 'passkey' where exists (select from passkeys where staff_id = $1)
       union all
       select 3, 'recovery_code' where exists (
         select from recovery_codes c join authenticator_apps a on a.id = c.app_id
          where a.staff_id = $1 and a.activated_at is not null)
     ) as kinds order by place`,
    [staffId],
  )
  return rows.map(({ kind }) => kind)
}

/** The second factors of the person in the row `st`, as an array of texts. */
export const factorsOfStaffSql = `array_remove(array[
  case when exists (select from authenticator_apps where staff_id = st.id and activated_at is not null) then 'app' end,
  case when exists (select from passkeys where staff_id = st.id) then 'passkey' end], null)`

export type StoredApp = {
  id: string
  /** Encrypted. */
  secret: string
  /** The step of the last accepted code; null before the first one. */
  lastStep: number | null
  addedAt: Date | null
  codesLeft: number
  isChecked: boolean
  /** The time by the clock of the database. */
  now: Date
}

const appColumns = `id, secret, last_step::float8 as "lastStep", activated_at as "addedAt",
  (select count(*)::integer from recovery_codes where app_id = a.id) as "codesLeft",
  checked_at is not null as "isChecked", clock_timestamp() as now`

export async function findActiveApp(db: Queryable, staffId: string): Promise<StoredApp | undefined> {
  const { rows } = await db.query<StoredApp>(
    `select ${appColumns} from authenticator_apps a where staff_id = $1 and activated_at is not null`,
    [staffId],
  )
  return rows[0]
}

/** A setup must be finished within this time. */
const setupTimeSql = `interval '1 hour'`

/** The app that the person is setting up. */
export async function findNewApp(db: Queryable, staffId: string): Promise<StoredApp | undefined> {
  const { rows } = await db.query<StoredApp>(
    `select ${appColumns} from authenticator_apps a
      where staff_id = $1 and activated_at is null and created_at > now() - ${setupTimeSql}`,
    [staffId],
  )
  return rows[0]
}

/** Replaces an earlier setup of the person. */
export async function insertNewApp(
  tx: Queryable,
  { id, staffId, secret }: { id: string; staffId: string; secret: string },
): Promise<void> {
  await tx.query('delete from authenticator_apps where staff_id = $1 and activated_at is null', [staffId])
  await tx.query('insert into authenticator_apps (id, staff_id, secret) values ($1, $2, $3)', [id, staffId, secret])
}

export async function updateAppChecked(tx: Queryable, id: string, step: number): Promise<void> {
  await tx.query('update authenticator_apps set checked_at = now(), last_step = $2 where id = $1', [id, step])
}

/** Turns on the app that was set up, instead of the earlier one of the person. */
export async function updateAppActivated(tx: Queryable, staffId: string, id: string): Promise<void> {
  await deleteActiveApp(tx, staffId)
  await tx.query('update authenticator_apps set activated_at = now() where id = $1', [id])
}

/**
 * Notes that the code of this step was used. False if the same code or a later one was used before. Of two sign-ins with one code,
 * PostgreSQL lets the second one wait for the first, and then it changes nothing.
 */
export async function updateAppStep(tx: Queryable, id: string, step: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update authenticator_apps set last_step = $2
      where id = $1 and activated_at is not null and (last_step is null or last_step < $2)`,
    [id, step],
  )
  return rowCount === 1
}

/** Deletes the active app and its recovery codes. False if there was none. */
export async function deleteActiveApp(tx: Queryable, staffId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'delete from authenticator_apps where staff_id = $1 and activated_at is not null',
    [staffId],
  )
  return rowCount === 1
}

export async function replaceRecoveryCodes(tx: Queryable, appId: string, hashes: Buffer[]): Promise<void> {
  await tx.query('delete from recovery_codes where app_id = $1', [appId])
  await tx.query('insert into recovery_codes (app_id, hash) select $1, unnest($2::bytea[])', [appId, hashes])
}

/** Uses up a recovery code. False if there is no such code, or if it was used before. */
export async function deleteRecoveryCode(tx: Queryable, appId: string, hash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query('delete from recovery_codes where app_id = $1 and hash = $2', [appId, hash])
  return rowCount === 1
}

/** Deletes all second factors of a person, also an app that is being set up. Returns the kinds that were usable. */
export async function deleteSecondFactors(tx: Queryable, staffId: string): Promise<FactorKind[]> {
  const kinds = await listFactorKinds(tx, staffId)
  await tx.query('delete from authenticator_apps where staff_id = $1', [staffId])
  await tx.query('delete from passkeys where staff_id = $1', [staffId])
  return kinds.filter((kind) => kind !== 'recovery_code')
}

/** `byProvider`: people without a factor who can sign in only by the provider. `without`: names of the others without a factor. */
export type FactorCount = { role: Role; people: number; withFactor: number; byProvider: number; without: string[] }

/** How many active people of each role have a second factor, and the names of some who have none. */
export async function countFactorsByRole(db: Queryable, maxNames: number): Promise<FactorCount[]> {
  const { rows } = await db.query<FactorCount>(
    `select role, count(*)::integer as people, count(*) filter (where has)::integer as "withFactor",
            count(*) filter (where not has and only_by_provider)::integer as "byProvider",
            coalesce((array_agg(name order by name collate natural_order)
              filter (where not has and not only_by_provider))[1:$1], '{}') as without
       from (select role, name, cardinality(${factorsOfStaffSql}) > 0 as has,
                    ${signsInOnlyByProviderSql} as only_by_provider
               from staff st where active) as people
      group by role`,
    [maxNames],
  )
  return rows
}

/** Setups that nobody finished. */
export const unfinishedApps: Retention = {
  table: 'authenticator_apps',
  key: 'id',
  since: 'created_at',
  keptFor: setupTimeSql,
  deletableIf: 'activated_at is null',
}
