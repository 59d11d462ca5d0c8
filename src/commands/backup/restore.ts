import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Database } from '#db/database.ts'
import { updateLastBackup } from '#db/last-backup.queries.ts'
import { compareWith } from '#db/migrate.ts'
import {
  collectStatistics,
  countServiceConnections,
  findServerMajor,
  findsSchema,
  listSomeRelations,
} from '#db/restoring.queries.ts'
import { holdRestored } from '#domain/holding/hold.ts'
import { checkKeyring } from '#domain/secrets/check-keyring.ts'
import { type Config, loadConfig } from '../../config.ts'
import { withConnection } from '../connections.ts'
import { creatingTables } from '../creating-tables.ts'
import { describeOnlyUser, grantServiceRole, rejectUnfitRole } from '../grant-service-role.ts'
import { migrateAll } from '../migrate.ts'
import { print } from '../terminal/output.ts'
import { CommandRefused } from '../terminal/refusals.ts'
import { commandActor, type Terminal } from '../terminal/terminal.ts'
import { type Archive, partsOf, readArchive } from './archive.ts'
import { checkTool, runTool, type ToolEnvironment, withToolEnvironment } from './postgres-tools.ts'

/** Collecting statistics of a large record takes minutes. */
const timeoutMs = 3_600_000
/** The oldest supported PostgreSQL, needed to read a backup before its own version is known. */
const oldestMajor = 15

export function registerRestore(command: Command, terminal: Terminal): void {
  command.argument('<file>', 'a file that `voucher-service backup` has written').action((file: string) => {
    const config = loadConfig(terminal.env)
    return withToolEnvironment(config.databaseDirectUrl ?? config.databaseUrl, terminal.env, (env) =>
      restore({ terminal, config, env }, file),
    )
  })
}

type RestoreTools = { terminal: Terminal; config: Config; env: ToolEnvironment }

async function restore({ terminal, config, env }: RestoreTools, file: string): Promise<void> {
  const url = config.databaseDirectUrl ?? config.databaseUrl
  await access(file).catch(() => {
    throw new CommandRefused(
      `The file ${file} does not exist, or this user may not read it. Check the path and the mode of the file.`,
    )
  })
  await checkTool('pg_restore', env, oldestMajor)
  const archive = await readArchive(file, env)
  const { missing, unknown } = compareWith(archive.migrations)
  if (unknown.length > 0)
    throw new CommandRefused(
      `The backup is newer than this version of the service, which does not have the migration ${unknown.at(-1)}. Install the version that wrote the backup, or a newer one.`,
    )
  return withConnection({ url, timeoutMs, name: 'voucher-service restore' }, async (db) => {
    await checkDatabase(db, env, archive)
    if (config.serviceRole !== undefined) await rejectUnfitRole(url, config.serviceRole)
    await creatingTables(url, () => restoreHeld(db, env, archive))
    if (missing.length > 0) await migrateAll(config)
    else if (config.serviceRole !== undefined) await grantServiceRole(url, config.serviceRole)
    await updateLastBackup(db, archive.takenAt) // a backup does not contain its own time
    await collectStatistics(db)
    print(terminal, { restored: file, backupTakenAt: archive.takenAt, migrated: missing })
    if (config.serviceRole === undefined) terminal.stderr.write((await describeOnlyUser(db)) ?? '')
    terminal.stderr.write(nextSteps)
    await checkKeyring(db, config.encryptionKeys)
  })
}

async function checkDatabase(db: Database, env: ToolEnvironment, { serverMajor, schema }: Archive): Promise<void> {
  const found = await listSomeRelations(db)
  if (found.length > 0)
    throw new CommandRefused(
      `The database is not empty: it has ${found.join(', ')}. Create a new database (\`sudo -u postgres createdb --owner=<user> <name>\`), set DATABASE_URL to it, and run this command again.`,
    )
  const connections = await countServiceConnections(db)
  if (connections > 0)
    throw new CommandRefused(
      'The service is running with this database. Stop every api, worker and start process, and run this command again.',
    )
  const major = await findServerMajor(db)
  if (major < serverMajor)
    throw new CommandRefused(
      `The backup was taken from PostgreSQL ${serverMajor}, and this server has version ${major}. Use a server of version ${serverMajor} or newer.`,
    )
  await checkTool('pg_restore', env, major)
  const { isFound, role } = await findsSchema(db, schema)
  if (!isFound)
    throw new CommandRefused(
      `The tables of the backup are in the schema "${schema}", which the search_path of the role "${role}" lacks. Add it, e.g. with: alter role "${role}" set search_path = "${schema}", public.`,
    )
}

/**
 * Restores the record, holds it, and only then restores the list of its migrations. A process does not start before it finds its
 * migration there, so no process ever sees the restored record without the hold.
 */
async function restoreHeld(db: Database, env: ToolEnvironment, archive: Archive): Promise<void> {
  const { record, migrations } = partsOf(archive)
  const folder = await mkdtemp(join(tmpdir(), 'voucher-restore-'))
  try {
    await restorePart(env, archive, record, join(folder, 'record'))
    await holdRestored(db, commandActor(), archive.takenAt)
    await restorePart(env, archive, migrations, join(folder, 'migrations'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Restores some entries of the backup in one transaction. */
async function restorePart(env: ToolEnvironment, { file }: Archive, entries: string[], list: string): Promise<void> {
  await writeFile(list, `${entries.join('\n')}\n`)
  // The only comments in a backup are those of extensions. The role of the service may not change them if an administrator
  // installed the extensions.
  const left = ['--no-owner', '--no-privileges', '--no-comments']
  const options = [...left, '--single-transaction', '--exit-on-error', `--use-list=${list}`]
  await runTool('pg_restore', [...options, `--dbname=${env['PGDATABASE']}`, file], env)
}

const nextSteps = `The backup is restored, and the service is held: it creates and withdraws no vouchers and sends no notifications yet.
1. Start the service. It reads all controllers within a few minutes.
2. Look for vouchers that were created since the backup: \`voucher-service reconcile\`, then \`voucher-service reconcile --adopt\`.
3. Revoke again the keys that were revoked since the backup, and cancel batches that should not run: docs/backups.md lists what to check.
4. End the hold: \`voucher-service resume --erased <file>\`. The file has the receipts of guests who were erased since the backup (docs/privacy.md).
`
