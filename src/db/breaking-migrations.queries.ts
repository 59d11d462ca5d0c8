import type pg from 'pg'
import { serviceVersion } from '#lib/version.ts'
import type { Queryable } from './database.ts'

/** A migration with which versions before `breaksBefore` do not work. */
export type BreakingMigration = { name: string; breaksBefore: string; reason: string }

const header = /^-- breaks_before:(.*)$/m
const headerValue = /^ (\d+\.\d+\.\d+) \((.+)\)$/

/** Reads the line `-- breaks_before: 0.3.0 (drops vouchers.reference)` of a migration. */
export function readBreaking(name: string, sql: string): BreakingMigration | undefined {
  const value = header.exec(sql)?.[1]
  if (value === undefined) return undefined
  const [, breaksBefore, reason] = headerValue.exec(value) ?? []
  if (breaksBefore === undefined || reason === undefined)
    throw new Error(
      `Migration ${name}: write "-- breaks_before: <version> (<reason>)", not "-- breaks_before:${value}".`,
    )
  return { name, breaksBefore, reason }
}

/** A migration that runs in steps can be repeated, so its row may exist. */
export async function insertBreaking(
  client: pg.Client,
  { name, breaksBefore, reason }: BreakingMigration,
): Promise<void> {
  await client.query(
    'insert into breaking_migrations (name, breaks_before, reason) values ($1, $2, $3) on conflict do nothing',
    [name, breaksBefore, reason],
  )
}

/** The migration in the database that needs the newest version, if that version is newer than this one. */
export async function findBreaking(db: Queryable): Promise<BreakingMigration | undefined> {
  const { rows } = await db.query<BreakingMigration>(
    `select name, breaks_before as "breaksBefore", reason
       from (select *, string_to_array(breaks_before, '.')::integer[] as needed from breaking_migrations) as breaking
      where needed > string_to_array($1, '.')::integer[]
      order by needed desc, name limit 1`,
    [releaseNumber()],
  )
  return rows[0]
}

export function describeBreaking({ name, breaksBefore, reason }: BreakingMigration): { problem: string; fix: string } {
  return {
    problem: `Version ${serviceVersion()} does not work with the database since migration ${name} (${reason}).`,
    fix: `Replace this process with version ${breaksBefore} or newer.`,
  }
}

/** The version without a suffix: 0.3.0 for 0.3.0-rc.1. */
function releaseNumber(): string {
  return serviceVersion().replace(/[-+].*$/, '')
}
