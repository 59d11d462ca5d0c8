import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import type { Database } from '#db/database.ts'
import { updateLastBackup } from '#db/last-backup.queries.ts'
import { compareMigrations } from '#db/migrate.ts'
import { findServerMajor } from '#db/restoring.queries.ts'
import { listKeysInUse } from '#domain/secrets/secrets.queries.ts'
import type { Config } from '../../config.ts'
import { withDatabase } from '../connections.ts'
import { wholeNumber } from '../terminal/arguments.ts'
import { print } from '../terminal/output.ts'
import { CommandRefused } from '../terminal/refusals.ts'
import { replaceFile } from '../terminal/replace-file.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { readArchive } from './archive.ts'
import { checkTool, runTool, type ToolEnvironment, withToolEnvironment } from './postgres-tools.ts'
import { pruneBackups } from './prune-backups.ts'

export function registerBackup(command: Command, terminal: Terminal): void {
  command
    .argument('<file>', 'the new file; it must not exist yet')
    .option(
      '--keep-days <days>',
      'then delete backups in the same folder that are older, except the newest three',
      wholeNumber(1, 10_000),
    )
    .action((file: string, { keepDays }: { keepDays?: number }) =>
      withDatabase(terminal, (db, config) =>
        withToolEnvironment(config.databaseDirectUrl ?? config.databaseUrl, terminal.env, (env) =>
          backup({ terminal, db, config, env }, file, keepDays),
        ),
      ),
    )
}

type BackupTools = { terminal: Terminal; db: Database; config: Config; env: ToolEnvironment }

async function backup({ terminal, db, config, env }: BackupTools, file: string, keepDays?: number): Promise<void> {
  if (await exists(file)) throw new CommandRefused(`${file} exists already. Choose another name, e.g. with the date.`)
  const { missing } = await compareMigrations(db)
  if (missing.length > 0)
    throw new CommandRefused(
      'The database is older than this version of the service. Back it up with the old version, or run `voucher-service migrate` first.',
    )
  const serverMajor = await findServerMajor(db)
  await checkTool('pg_dump', env, serverMajor)
  await checkTool('pg_restore', env, serverMajor)
  const keysBefore = await listKeysInUse(db) // `secrets rotate` may run during the backup
  const { takenAt } = await writeArchive(file, env)
  const { size } = await stat(file)
  const keys = [...new Set([...keysBefore, ...(await listKeysInUse(db))])].toSorted()
  print(terminal, { file, bytes: size, takenAt, postgresql: serverMajor, encryptionKeys: keys })
  terminal.stderr.write(whatElse(keys, config))
  await noteTime(terminal, db)
  if (keepDays === undefined) return
  for (const path of await pruneBackups(dirname(file), keepDays))
    terminal.stderr.write(`Deleted the old backup ${path}.\n`)
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** Writes the backup under a temporary name, and renames it after its list was checked. */
function writeArchive(file: string, env: ToolEnvironment) {
  return replaceFile(file, { overwrites: false }, async (temporary) => {
    // The only unlogged table has the counters of the rate limit, which are useless after a restore.
    await runTool('pg_dump', ['--format=custom', '--no-unlogged-table-data', `--file=${temporary}`], env)
    return readArchive(temporary, env)
  })
}

function whatElse(keys: string[], { encryptionKeys }: Config): string {
  const lost = keys.filter((id) => !encryptionKeys.keys.has(id))
  return [
    'The backup is complete. Keep these too, in another place:',
    keys.length > 0
      ? `- ENCRYPTION_KEYS with the entries ${keys.join(', ')}: the secrets in the backup cannot be decrypted without them.`
      : '- ENCRYPTION_KEYS. The database contains no encrypted secrets yet.',
    '- your other settings: the environment of the service, for example the file .env.',
    ...(lost.length > 0 ? [`Warning: ENCRYPTION_KEYS lacks ${lost.join(', ')} now. Find these entries.`] : []),
    '',
  ].join('\n')
}

/** Stores the time for the metric and the alert. The backup is complete even if this fails, e.g. on a standby. */
async function noteTime(terminal: Terminal, db: Database): Promise<void> {
  await updateLastBackup(db).catch(({ message, cause }: Error) =>
    terminal.stderr.write(
      `Warning: the time of this backup could not be stored in the database: ${cause instanceof Error ? cause.message : message}. The metric voucher_service_backup_age_seconds does not count this backup. Back up from the primary server, or watch these backups in another way.\n`,
    ),
  )
}
