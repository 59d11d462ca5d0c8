import type { Queryable } from './database.ts'
import { neededSettings } from './session-settings.ts'

export type WrongSetting = { role: string; name: string; value: string; needed: string }

/**
 * Settings of this connection that differ from those that the service needs. A direct connection has none, because the service
 * sends its settings. A pooler may not pass them on.
 */
export async function listWrongSettings(db: Queryable): Promise<WrongSetting[]> {
  const { rows } = await db.query<WrongSetting>(
    `select current_user as role, name, current_setting(name) as value, needed
       from unnest($1::text[], $2::text[]) as setting (name, needed)
      where current_setting(name) <> needed`,
    [Object.keys(neededSettings), Object.values(neededSettings)],
  )
  return rows
}

export type DatabaseFacts = {
  database: string
  role: string
  encoding: string
  searchPath: string
  /** The table of migrations is in this schema. */
  findsPublic: boolean
  hasTables: boolean
}

export async function findDatabaseFacts(db: Queryable): Promise<DatabaseFacts> {
  const { rows } = await db.query<DatabaseFacts>(
    `select current_database() as database, current_user as role, current_setting('server_encoding') as encoding,
            current_setting('search_path') as "searchPath", 'public' = any (current_schemas(false)) as "findsPublic",
            to_regclass('vouchers') is not null as "hasTables"`,
  )
  return rows[0] as DatabaseFacts
}
