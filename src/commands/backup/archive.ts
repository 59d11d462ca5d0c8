import { CommandRefused } from '../terminal/refusals.ts'
import { runTool, type ToolEnvironment } from './postgres-tools.ts'

/** A backup file of this service, as `pg_restore` lists it. */
export type Archive = {
  file: string
  takenAt: Date
  /** The version of the PostgreSQL from which it was taken. */
  serverMajor: number
  /** The schema with the tables of the service: `public`, unless an administrator changed `search_path`. */
  schema: string
  /** The entries of the archive, one line each. */
  entries: string[]
  /** The migrations of the record in it. */
  migrations: string[]
}

/** Matches the entry with the rows of `migrations`. No process of the service starts before these rows exist. */
const migrationRows = / TABLE DATA public migrations /

/** Reads which entries a backup file has, and checks that the file is a backup of this service. */
export async function readArchive(file: string, env: ToolEnvironment): Promise<Archive> {
  const list = await runTool('pg_restore', ['--list', file], env).catch((error: Error) => {
    throw new CommandRefused(`${file} cannot be read as a backup. ${error.message}`)
  })
  const lines = list.split('\n')
  const header = (name: string) => lines.find((line) => line.includes(`${name}: `))?.split(': ')[1] ?? ''
  const createdAt = /Archive created at (.*)/.exec(list)?.[1]
  const entries = lines.filter((line) => /^\d+; /.test(line))
  const schemas = ['hold', 'migrations', 'vouchers'].map((table) => schemaOf(entries, table))
  if (createdAt === undefined || schemas.includes(undefined))
    throw new CommandRefused(
      `${file} is not a backup of this service. Use a file that \`voucher-service backup\` has written.`,
    )
  return {
    file,
    takenAt: new Date(createdAt.replace(' ', 'T').replace(' UTC', 'Z')),
    serverMajor: Number.parseInt(header('Dumped from database version'), 10),
    schema: schemas[0] as string,
    entries,
    migrations: await readMigrations(file, env),
  }
}

function schemaOf(entries: string[], table: string): string | undefined {
  return new RegExp(` TABLE (\\S+) ${table} `).exec(entries.join('\n'))?.[1]
}

/** Reads the rows of `migrations` as text: `COPY public.migrations (id, name, run_on) FROM stdin;` and a line for each. */
async function readMigrations(file: string, env: ToolEnvironment): Promise<string[]> {
  const sql = await runTool('pg_restore', ['--data-only', '--table=migrations', '--file=-', file], env)
  const rows = /^COPY public\.migrations \(id, name, run_on\) FROM stdin;\n([\s\S]*?)^\\\.$/m.exec(sql)?.[1] ?? ''
  return rows.split('\n').flatMap((row) => row.split('\t')[1] ?? [])
}

/** The entries in two parts. Until the second part is restored, no process starts with the record. */
export function partsOf({ entries }: Archive): { record: string[]; migrations: string[] } {
  return {
    record: entries.filter((entry) => !migrationRows.test(entry)),
    migrations: entries.filter((entry) => migrationRows.test(entry)),
  }
}
