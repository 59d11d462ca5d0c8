import { connectDatabase, Unavailable } from '#db/database.ts'
import { findServerFacts } from './doctor/doctor.queries.ts'
import { shellWord } from './terminal/output.ts'
import { CommandRefused } from './terminal/refusals.ts'

/**
 * Runs work that creates tables. If it fails and the user may not create tables in this database, the error says how to change
 * that. Messages of PostgreSQL are not compared, because they can be in another language.
 */
export async function withCreatingRights<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Unavailable)) await checkCreatingRights(url)
    throw error
  }
}

async function checkCreatingRights(url: string): Promise<void> {
  const db = connectDatabase({ url, poolSize: 1, onError: () => {} })
  try {
    const { role, database, mayCreate } = await findServerFacts(db)
    if (mayCreate) return
    const statement = `alter database "${database}" owner to "${role}"`
    throw new CommandRefused(
      `The user "${role}" may not create tables in the database "${database}". Make the user its owner: \`sudo -u postgres psql -c ${shellWord(statement)}\`.`,
    )
  } finally {
    await db.close()
  }
}
