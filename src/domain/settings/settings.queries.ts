import type { Queryable } from '#db/database.ts'
import type { Place } from '#lib/cipher.ts'

export type StoredSetting = { value: unknown; changedAt: Date }

/** The settings with these names that are stored, without their files. */
export async function listSettings(db: Queryable, names: readonly string[]): Promise<Map<string, StoredSetting>> {
  const { rows } = await db.query<StoredSetting & { name: string }>(
    `select name, value, changed_at as "changedAt" from settings where name = any($1)`,
    [names],
  )
  return new Map(rows.map(({ name, ...setting }) => [name, setting]))
}

/** The settings whose names begin with this prefix, by the rest of their names. */
export async function listSettingsBelow(db: Queryable, prefix: string): Promise<Map<string, StoredSetting>> {
  const { rows } = await db.query<StoredSetting & { name: string }>(
    `select substr(name, length($1) + 1) as name, value, changed_at as "changedAt" from settings where starts_with(name, $1)`,
    [prefix],
  )
  return new Map(rows.map(({ name, ...setting }) => [name, setting]))
}

/**
 * SQL: since when the worker has not finished forgetting guests. It counts from the last run, or from a later change of these settings.
 * Null if guests are never forgotten.
 */
export const notForgottenSinceSql = `(select max(changed_at) from settings
  where starts_with(name, 'guests_')
    and exists (select from settings where name = 'guests_forget_after_days'
                   or starts_with(name, 'guests_forget_after_days/') and value ->> 'days' is not null))`

/** A setting with its file and its secret, which is encrypted for the place that `secretPlace` returns. */
export async function findSetting(
  db: Queryable,
  name: string,
): Promise<{ value: unknown; file: Buffer | null; secret: string | null } | undefined> {
  const { rows } = await db.query<{ value: unknown; file: Buffer | null; secret: string | null }>(
    `select value, file, secret from settings where name = $1`,
    [name],
  )
  return rows[0]
}

export function secretPlace(name: string): Place {
  return { table: 'settings', column: 'secret', row: name }
}

/** Makes other changes wait until the transaction ends, so that the audit has the value before each of them. */
export async function lockSettings(tx: Queryable): Promise<void> {
  await tx.query('lock table settings in share row exclusive mode')
}

/** Replaces the earlier value with its file and its secret. */
export async function insertSetting(
  tx: Queryable,
  name: string,
  value: unknown,
  { file = null, secret = null }: { file?: Buffer | null; secret?: string | null } = {},
): Promise<void> {
  await tx.query(
    `insert into settings (name, value, file, secret) values ($1, $2, $3, $4)
     on conflict (name) do update
       set value = excluded.value, file = excluded.file, secret = excluded.secret, changed_at = now()`,
    [name, JSON.stringify(value), file, secret],
  )
}

/** Stores changed fields. `names` says which settings they are. Null removes a setting. */
export async function updateSettings(
  tx: Queryable,
  names: Record<string, string>,
  changes: Record<string, unknown>,
): Promise<void> {
  for (const [field, value] of Object.entries(changes)) {
    const setting = names[field] as string
    if (value === null) await deleteSetting(tx, setting)
    else await insertSetting(tx, setting, value)
  }
}

export async function deleteSetting(tx: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from settings where name = $1', [name])
  return rowCount === 1
}
