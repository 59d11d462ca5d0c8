import type { Queryable } from '#db/database.ts'
import { type DatabaseFacts, findDatabaseFacts, listWrongSettings } from '#db/unfit.queries.ts'
import { withConnection } from './connections.ts'
import { CommandRefused } from './terminal/refusals.ts'

/** A reason why the service cannot work with a database as it is, and the remedy. */
type DatabaseProblem = { message: string; fix: string }

export async function listDatabaseProblems(db: Queryable): Promise<DatabaseProblem[]> {
  const facts = await findDatabaseFacts(db)
  return [...judgeSearchPath(facts), ...judgeEncoding(facts), ...(await listSettingProblems(db))]
}

/**
 * Rejects a database before it gets tables. If it has tables already, a wrong encoding is only a finding of the doctor, because
 * most names can be stored.
 */
export async function rejectUnfitDatabase(url: string): Promise<void> {
  return withConnection({ url }, async (db) => {
    const facts = await findDatabaseFacts(db)
    rejectFirst([...judgeSearchPath(facts), ...(facts.hasTables ? [] : judgeEncoding(facts))])
  })
}

/** Rejects connections with wrong settings, which a pooler may return. */
export async function rejectWrongSettings(db: Queryable): Promise<void> {
  rejectFirst(await listSettingProblems(db))
}

function rejectFirst([first]: DatabaseProblem[]): void {
  if (first) throw new CommandRefused(`${first.message} ${first.fix}`)
}

function judgeSearchPath({ role, searchPath, findsPublic }: DatabaseFacts): DatabaseProblem[] {
  if (findsPublic) return []
  return [
    {
      message: `The search_path of the role "${role}" is '${searchPath}'. It lacks the schema public, where the service records its migrations.`,
      fix: `Add it, e.g. with: alter role "${role}" set search_path = "$user", public.`,
    },
  ]
}

function judgeEncoding({ database, encoding, hasTables }: DatabaseFacts): DatabaseProblem[] {
  if (encoding === 'UTF8') return []
  const create = 'sudo -u postgres createdb --owner=<user> --encoding=UTF8 --template=template0 <name>'
  return [
    {
      message: `The database "${database}" has the encoding ${encoding}, but the service needs UTF8.`,
      fix: hasTables
        ? `Make a backup (\`voucher-service backup\`), create a database with \`${create}\`, set DATABASE_URL to it, and restore the backup.`
        : `Create another one with \`${create}\`, and set DATABASE_URL to it.`,
    },
  ]
}

async function listSettingProblems(db: Queryable): Promise<DatabaseProblem[]> {
  return (await listWrongSettings(db)).map(({ role, name, value, needed }) => ({
    message: `Connections through DATABASE_URL have ${name} = ${value}, but the service needs ${needed}.`,
    fix: `The pooler does not pass on the setting of the service, so set it for the role: alter role "${role}" set ${name} = '${needed}'. Then restart the pooler.`,
  }))
}
