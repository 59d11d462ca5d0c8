import { Unavailable } from '#db/database.ts'
import { isHalfRestored } from '#db/restoring.queries.ts'
import { findTablesOwner, type TablesOwner } from '#db/service-role.queries.ts'
import { shellWord } from '#lib/shell-word.ts'
import { withConnection } from './connections.ts'
import { findServerFacts } from './doctor/doctor.queries.ts'
import { CommandRefused } from './terminal/refusals.ts'
import { rejectUnfitDatabase } from './unfit-database.ts'

/**
 * Runs work that creates tables, unless the database is unfit for them. If it fails because the user may not create tables, because
 * the database is read-only, or because an earlier restore was interrupted, the error says what to do. Messages of PostgreSQL are
 * not compared, because they can be in another language.
 */
export async function creatingTables<T>(url: string, work: () => Promise<T>): Promise<T> {
  await rejectUnfitDatabase(url)
  try {
    return await work()
  } catch (error) {
    if (error instanceof Unavailable) throw error
    rejectEqualRows(error)
    await explainFailure(url, error)
    throw error
  }
}

const uniqueViolation = '23505'

/** Rows that were different to an older version can be equal to the unique index of a migration. */
function rejectEqualRows(error: unknown): void {
  const { code, table, detail } = error as { code?: string; table?: string; detail?: string }
  if (code !== uniqueViolation) return
  throw new CommandRefused(
    `Two rows of the table ${table} have a value that must be different in this version: ${detail} Change one of them with psql, and run \`voucher-service migrate\` again.`,
  )
}

async function explainFailure(url: string, error: unknown): Promise<void> {
  return withConnection({ url }, async (db) => {
    const { database, mayCreate, isReadOnly } = await findServerFacts(db)
    if (!mayCreate) throw new CommandRefused(describeForbidden(database, await findTablesOwner(db)))
    if (!(error instanceof CommandRefused) && isReadOnly)
      throw new CommandRefused(
        `The database "${database}" is read-only. Point DATABASE_URL to the primary, or find out why the server accepts no writes.`,
      )
    if (!(error instanceof CommandRefused) && (await isHalfRestored(db)))
      throw new CommandRefused(
        `A restore into the database "${database}" was interrupted. Create a new database, set DATABASE_URL to it, and run \`voucher-service restore\` again.`,
      )
  })
}

/** The role of the service must not become the owner: it could then change the audit. */
function describeForbidden(database: string, { role, owner, isOwner, isOrdinary }: TablesOwner): string {
  const message = `The user "${role}" may not create tables in the database "${database}"`
  const statement = `alter database "${database}" owner to "${role}"`
  const command = `\`sudo -u postgres psql -c ${shellWord(statement)}\``
  if (isOwner) return `${message}. Make the user its owner: ${command}.`
  if (isOrdinary)
    return `${message}, which belongs to "${owner}". Run this command as the owner: with the address of "${owner}" in DATABASE_URL, and with SERVICE_ROLE=${role} if the service works as "${role}".`
  return `${message}, which belongs to "${owner}". If the service has two roles, make the owner of its tables the owner of this database, and run this command as that role. If it has one role, make the user its owner: ${command}.`
}
