import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connectDatabase, type Database } from '#db/database.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { shellBlocksOf } from '../docs/shell-blocks.ts'
import { type DebianMachine, install, startDebianMachines } from './debian-machines.ts'

const page = readFileSync(fileURLToPath(new URL('../../docs/backups.md', import.meta.url)), 'utf8')
const setup = ['certificates', 'stanza', 'archive', 'backup'] as const
const recovery = ['restore', 'look', 'accept', 'backupAgain'] as const
/** The blocks of the page, in its order. */
const blocks = new Map(
  shellBlocksOf(page)
    .filter((block) => block.startsWith('# on '))
    .map((block, i) => [[...setup, ...recovery][i], block]),
)
/** The target on the page. */
const target = '2026-11-19 14:32:00+00:00'
/** PostgreSQL tries the archive again a minute after three failures. */
const archivedWithinMs = 180_000

/** A block of docs/backups.md, with another target. */
export function block(name: (typeof setup)[number] | (typeof recovery)[number], at?: string): string {
  const found = blocks.get(name)
  if (!found || blocks.size !== setup.length + recovery.length)
    throw new Error(`docs/backups.md has ${blocks.size} blocks for pgBackRest`)
  if (at !== undefined && !found.includes(target)) throw new Error(`the block ${name} has no target`)
  return found.replace(target, at ?? target)
}

/** A PostgreSQL whose WAL goes to the repository, set up as on the page. The first base backup is still missing. */
export type ArchivedServer = {
  database: DebianMachine
  repository: DebianMachine
  databaseUrl: string
  db: Database
  /** The time of the server, as `--target` needs it. */
  now(): Promise<string>
  /** Waits until everything that is committed now is in the repository. */
  archived(): Promise<void>
  /** The last lines of PostgreSQL's log. */
  log(): string
}

export async function startArchivedServer(): Promise<ArchivedServer> {
  const [database, repository] = await startDebianMachines()
  await database.succeed('pg_createcluster 15 main --locale=C.UTF-8 -- --data-checksums')
  await database.succeed(`echo "listen_addresses = '*'" >/etc/postgresql/15/main/conf.d/network.conf
    echo 'host vouchers vouchers 10.0.0.0/24 scram-sha-256' >>/etc/postgresql/15/main/pg_hba.conf
    sudo systemctl start postgresql@15-main
    sudo -u postgres psql --quiet --command="create role vouchers login password 'secret'" --command='create database vouchers owner vouchers'`)
  await makeCertificates(database, repository)
  await install(database, 'database.conf', '/etc/pgbackrest.conf')
  await install(database, 'postgresql.conf', '/etc/postgresql/15/main/conf.d/pgbackrest.conf')
  await install(repository, 'repository.conf', '/etc/pgbackrest.conf')
  for (const file of ['pgbackrest-backup.service', 'pgbackrest-backup.timer'])
    await install(repository, file, `/etc/systemd/system/${file}`)
  for (const machine of [database, repository]) {
    await machine.succeed('sudo systemctl enable --now pgbackrest')
    await machine.succeed(`until (: </dev/tcp/${machine.address}/8432) 2>/dev/null; do sleep 0.2; done`)
  }
  await repository.succeed(block('stanza'))
  await database.succeed(block('archive'))
  const databaseUrl = `postgres://vouchers:secret@${database.address}/vouchers`
  const db = connectDatabase({ url: databaseUrl, poolSize: 2, name: 'test', onError: () => {} })
  onFileEnd(() => db.close())

  return {
    database,
    repository,
    databaseUrl,
    db,
    async now() {
      const { rows } = await db.query<{ now: string }>(
        `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS"+00:00"') as now`,
      )
      return rows[0]?.now as string
    },
    async archived() {
      const last = `sudo -u postgres psql -Atc "select pg_walfile_name(pg_switch_wal())"`
      const wanted = (await database.succeed(last)).stdout.trim()
      const isThere = 'select from pg_stat_archiver where last_archived_wal >= $1 and last_archived_wal not like $2'
      for (const endsAt = Date.now() + archivedWithinMs; Date.now() < endsAt; await pause(300))
        if ((await db.query(isThere, [wanted, '%.%'])).rowCount === 1) return
      throw new Error(`${wanted} was not archived`)
    },
    log: () => readFileSync(`${database.root}/var/log/postgresql/postgresql-15-main.log`, 'utf8'),
  }
}

async function makeCertificates(database: DebianMachine, repository: DebianMachine): Promise<void> {
  await repository.succeed(block('certificates'))
  for (const [name, { root, succeed }] of Object.entries({ database, repository })) {
    const from = `${repository.root}/bin`
    await succeed(`install -d -o postgres -g postgres -m 750 /etc/pgbackrest`)
    const copy = [`${from}/ca.crt ca.crt`, `${from}/${name}.crt machine.crt`, `${from}/${name}.key machine.key`]
    for (const each of copy) {
      const [source, path] = each.split(' ')
      await succeed(`install -o postgres -g postgres -m 600 ${source} ${root}/etc/pgbackrest/${path}`)
    }
  }
}
