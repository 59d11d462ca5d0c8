import type pg from 'pg'
import type { Queryable } from './database.ts'

/** The role of a server, as it reports it itself. `timeline` is undefined in recovery. */
export type ServerRole = { isInRecovery: boolean; isReadOnly: boolean; timeline: string | undefined }

/**
 * Asks the server behind a connection for its role. The parameters that a server reports when a connection begins would say the
 * same, but PgBouncer repeats them from another, older connection. The timeline is the first part of the name of a file of the
 * write-ahead log. It grows with every promotion.
 */
export async function findServerRole(client: pg.Client, timeoutMs: number): Promise<ServerRole> {
  const text = `select pg_is_in_recovery() as "isInRecovery",
                       current_setting('transaction_read_only')::boolean as "isReadOnly",
                       case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`
  // node-postgres accepts the timeout for each statement, but its types do not list it.
  const { rows } = await client.query<{ isInRecovery: boolean; isReadOnly: boolean; timeline: string | null }>({
    text,
    ...{ query_timeout: timeoutMs },
  })
  const role = rows[0] as (typeof rows)[0]
  return { ...role, timeline: role.timeline ?? undefined }
}

/** True for a standby, and for a restored server whose data nobody has accepted yet. Both may lack the newest data. */
export async function isInRecovery(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ isInRecovery: boolean }>('select pg_is_in_recovery() as "isInRecovery"')
  return (rows[0] as { isInRecovery: boolean }).isInRecovery
}
