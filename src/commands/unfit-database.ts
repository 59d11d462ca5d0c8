import { connectDatabase, type Queryable } from '#db/database.ts'
import { findEncoding, listWrongSettings } from '#db/unfit.queries.ts'
import { CommandRefused } from './terminal/refusals.ts'

/** A reason why the service cannot work with a database as it is, and the remedy. */
type Misfit = { message: string; fix: string }

export async function listMisfits(db: Queryable): Promise<Misfit[]> {
  const wrongEncoding = await findWrongEncoding(db)
  return [...(wrongEncoding ? [wrongEncoding] : []), ...(await listMisfitSettings(db))]
}

/** Rejects a new database in which not every name could be stored. One that has the tables already works for most names. */
export async function rejectWrongEncoding(url: string): Promise<void> {
  const db = connectDatabase({ url, poolSize: 1, onError: () => {} })
  try {
    const misfit = await findWrongEncoding(db)
    if (misfit && !misfit.hasTables) throw new CommandRefused(`${misfit.message} ${misfit.fix}`)
  } finally {
    await db.close()
  }
}

export async function rejectWrongSettings(db: Queryable): Promise<void> {
  const [first] = await listMisfitSettings(db)
  if (first) throw new CommandRefused(`${first.message} ${first.fix}`)
}

async function findWrongEncoding(db: Queryable): Promise<(Misfit & { hasTables: boolean }) | undefined> {
  const { database, encoding, hasTables } = await findEncoding(db)
  if (encoding === 'UTF8') return undefined
  const create = 'sudo -u postgres createdb --owner=<user> --encoding=UTF8 --template=template0 <name>'
  return {
    message: `The database "${database}" has the encoding ${encoding}, but the service needs UTF8.`,
    fix: hasTables
      ? `Make a backup (\`voucher-service backup\`), create a database with \`${create}\`, set DATABASE_URL to it, and restore the backup.`
      : `Create another one with \`${create}\`, and set DATABASE_URL to it.`,
    hasTables,
  }
}

async function listMisfitSettings(db: Queryable): Promise<Misfit[]> {
  return (await listWrongSettings(db)).map(({ role, name, value, needed }) => ({
    message: `Connections through DATABASE_URL have ${name} = ${value}, but the service needs ${needed}.`,
    fix: `The pooler does not pass on the setting of the service, so set it for the role: alter role "${role}" set ${name} = '${needed}'. Then restart the pooler.`,
  }))
}
