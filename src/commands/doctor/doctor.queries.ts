import { archiveFailingSinceSql, isArchiveMissingSql } from '#db/archiving.queries.ts'
import type { Queryable } from '#db/database.ts'
import { isNotHeldSql } from '#domain/hold.queries.ts'
import { notForgottenSinceSql } from '#domain/settings/settings.queries.ts'
import { siteStateSql, withOutageSql } from '#domain/sites/site-states.queries.ts'

export type ServerFacts = {
  version: string
  versionNumber: number
  now: Date
  role: string
  database: string
  mayCreate: boolean
  isReadOnly: boolean
  /** Commits of this database have been waiting for a synchronous standby for more than 5 s. */
  isUnconfirmed: boolean
  sizeBytes: number
  /** Null if this role may not see it. */
  dataDirectory: string | null
}

export async function findServerFacts(db: Queryable): Promise<ServerFacts> {
  const { rows } = await db.query<ServerFacts>(
    `select split_part(current_setting('server_version'), ' ', 1) as version,
            current_setting('server_version_num')::integer as "versionNumber",
            clock_timestamp()::timestamptz(3) as now, current_user as role, current_database() as database,
            has_database_privilege(current_database(), 'create')
              and has_schema_privilege(current_schema(), 'create') as "mayCreate",
            pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly",
            exists (select from pg_stat_activity
                     where datname = current_database() and wait_event = 'SyncRep'
                       and query_start < now() - interval '5 seconds') as "isUnconfirmed",
            pg_database_size(current_database())::float as "sizeBytes",
            (select setting from pg_settings where name = 'data_directory') as "dataDirectory"`,
  )
  return rows[0] as ServerFacts
}

export type ConnectionLimits = {
  role: string
  database: string
  /** Connections available to ordinary roles. */
  ofServer: number
  /** `alter role … connection limit`. Null if there is none, and for a superuser, who may exceed it. */
  ofRole: number | null
  /** `alter database … connection limit`. Null as above. */
  ofDatabase: number | null
}

export async function findConnectionLimits(db: Queryable): Promise<ConnectionLimits> {
  const { rows } = await db.query<ConnectionLimits>(
    `select rolname as role, datname as database,
            current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
              as "ofServer",
            case when rolconnlimit >= 0 and not rolsuper then rolconnlimit end as "ofRole",
            case when datconnlimit >= 0 and not rolsuper then datconnlimit end as "ofDatabase"
       from pg_roles, pg_database
      where rolname = session_user and datname = current_database()`,
  )
  return rows[0] as ConnectionLimits
}

/** Differs between any two databases, also of different servers. */
export async function findDatabaseIdentity(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ identity: string }>(
    `select oid || ' ' || extract(epoch from pg_postmaster_start_time()) as identity
       from pg_database where datname = current_database()`,
  )
  return rows[0]?.identity ?? ''
}

/** Extensions that the migrations need and this server neither has in the database nor can create. */
export async function listMissingExtensions(db: Queryable, needed: string[]): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select name from unnest($1::text[]) as name
      where name not in (select extname from pg_extension) and name not in (select name from pg_available_extensions)`,
    [needed],
  )
  return rows.map(({ name }) => name)
}

export type WorkFacts = {
  hasAdministrator: boolean
  unrecorded: number
  /** Open batches that have made no progress for more than an hour, although the service is not held. */
  stuckBatches: number
  /** The time of the last `voucher-service backup` if that is more than 36 hours ago, as in the alert. */
  oldBackup: Date | null
  /** Since when PostgreSQL has archived none of its write-ahead log although it should. */
  archiveFailingSince: Date | null
  /** No command or library is set for the archive. */
  isArchiveMissing: boolean
  /** Since when the worker has not finished forgetting guests, if that is more than a day ago. */
  notForgottenSince: Date | null
}

export async function findWorkFacts(db: Queryable): Promise<WorkFacts> {
  const { rows } = await db.query<WorkFacts>(
    `select exists (select from staff where role = 'admin' and active) as "hasAdministrator",
            (select coalesce(sum(unrecorded), 0)::integer from sites where active) as unrecorded,
            (select count(*)::integer from batches
              where finished_at is null and held_up_since < now() - interval '1 hour' and ${isNotHeldSql}) as "stuckBatches",
            (select taken_at from last_backup where taken_at < now() - interval '36 hours') as "oldBackup",
            ${archiveFailingSinceSql} as "archiveFailingSince", ${isArchiveMissingSql} as "isArchiveMissing",
            (select since from ${notForgottenSinceSql} as last (since) where since < now() - interval '1 day') as "notForgottenSince"`,
  )
  return rows[0] as WorkFacts
}

export type ControllerToCheck = { name: string; siteId: number | null }

/** All controllers by name, each with its first active site. */
export async function listControllersToCheck(db: Queryable): Promise<ControllerToCheck[]> {
  const { rows } = await db.query<ControllerToCheck>(
    `select c.name, (select min(s.id) from sites s where s.controller_id = c.id and s.active) as "siteId"
       from controllers c order by c.name`,
  )
  return rows
}

/** The site that has failed for longest comes first. */
export async function listFailingSites(db: Queryable): Promise<{ id: number; name: string; failingSince: Date }[]> {
  const { rows } = await db.query<{ id: number; name: string; failingSince: Date }>(
    `select s.id, s.name, s.sync_failing_since as "failingSince" from sites s ${withOutageSql}
      where s.sync_failure is not null and ${siteStateSql} = 'failing'
      order by s.sync_failing_since, s.id`,
  )
  return rows
}
