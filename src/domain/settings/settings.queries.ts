import type { Queryable } from '#db/database.ts'

export type StoredSetting = { value: unknown; changedAt: Date }

/** The settings with these names that are stored, without their files. */
export async function listSettings(db: Queryable, names: readonly string[]): Promise<Map<string, StoredSetting>> {
  const { rows } = await db.query<StoredSetting & { name: string }>(
    `select name, value, changed_at as "changedAt" from settings where name = any($1)`,
    [names],
  )
  return new Map(rows.map(({ name, ...setting }) => [name, setting]))
}

/** Undefined if the setting is not stored or is not a file. */
export async function findSettingFile(
  db: Queryable,
  name: string,
): Promise<{ value: unknown; file: Buffer } | undefined> {
  const { rows } = await db.query<{ value: unknown; file: Buffer }>(
    `select value, file from settings where name = $1 and file is not null`,
    [name],
  )
  return rows[0]
}

/** Makes other changes wait until the transaction ends, so that the audit has the value before each of them. */
export async function lockSettings(tx: Queryable): Promise<void> {
  await tx.query('lock table settings in share row exclusive mode')
}

/** Replaces the earlier value. */
export async function insertSetting(tx: Queryable, name: string, value: unknown, file?: Buffer): Promise<void> {
  await tx.query(
    `insert into settings (name, value, file) values ($1, $2, $3)
     on conflict (name) do update set value = excluded.value, file = excluded.file, changed_at = now()`,
    [name, JSON.stringify(value), file ?? null],
  )
}

export async function deleteSetting(tx: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from settings where name = $1', [name])
  return rowCount === 1
}
