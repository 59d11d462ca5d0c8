import { describeBreaking } from '#db/breaking-migrations.queries.ts'
import type { Database, Queryable } from '#db/database.ts'
import { askServer } from '#db/database-client.ts'
import { compareMigrations, findMisfit } from '#db/migrate.ts'
import { findTablesOwner, findWayToAudit, listForbiddenTables } from '#db/service-role.queries.ts'
import { splitDatabaseUrl } from '#lib/database-address.ts'
import type { Config } from '../../config.ts'
import { withConnection } from '../connections.ts'
import { describeWay, wayRemedies } from '../grant-service-role.ts'
import { describeFailure } from '../terminal/failures.ts'
import { listDatabaseProblems } from '../unfit-database.ts'
import { checkConnections } from './check-connections.ts'
import { findDatabaseIdentity, findServerFacts, listMissingExtensions, type ServerFacts } from './doctor.queries.ts'
import { type Finding, findingsOf } from './finding.ts'

const oldestVersion = 15
const neededExtensions = ['btree_gin', 'pg_trgm']
/** The machine's time only decides whether certificates are valid; everything else uses the database's time. */
const clockWarningMs = 2_000
const clockProblemMs = 5 * 60_000

/** Undefined when PostgreSQL answers. */
export async function checkConnection(db: Database): Promise<Finding | undefined> {
  try {
    await findServerFacts(db)
    return undefined
  } catch (error) {
    const [text = ''] = describeFailure(error).message.split('\n')
    const [, message = text, fix = 'Check DATABASE_URL.'] = /^(.*?[.)]\.?) ([A-Z].*)$/.exec(text) ?? []
    return findingsOf('database').problem(message, fix)
  }
}

/** Jobs and migrations use the direct address, so it must lead to the database that the requests use. */
export async function checkDirectAddress(db: Queryable, { databaseDirectUrl: url }: Config): Promise<Finding[]> {
  if (url === undefined) return []
  const { ok, problem } = findingsOf('database')
  return withConnection({ url, name: 'voucher-service doctor' }, async (direct) => {
    const unreachable = await checkConnection(direct)
    if (unreachable)
      return [
        problem(
          `DATABASE_DIRECT_URL: ${unreachable.message}`,
          (unreachable.fix ?? '').replaceAll('DATABASE_URL', 'DATABASE_DIRECT_URL'),
        ),
      ]
    if ((await findDatabaseIdentity(direct)) === (await findDatabaseIdentity(db)))
      return [ok('DATABASE_DIRECT_URL leads to the same database.')]
    return [
      problem(
        'DATABASE_DIRECT_URL leads to another database than DATABASE_URL.',
        'Set it to the address of the PostgreSQL behind the pooler, with the same database.',
      ),
    ]
  })
}

/** Checks several hosts: one must accept writes, and the others should be able to replace it. */
export async function checkHosts({ databaseUrl }: Config): Promise<Finding[]> {
  const places = splitDatabaseUrl(databaseUrl)
  if (places.length === 1) return []
  const { ok, warning, problem } = findingsOf('database')
  const hosts = await Promise.all(
    places.map(async ({ at, url }) => ({
      name: `${at.host}:${at.port}`,
      role: await askServer(url).catch(() => undefined),
    })),
  )
  const primaries = hosts.filter(({ role }) => role && !role.isInRecovery && !role.isReadOnly)
  const silent = hosts.filter(({ role }) => !role).map(({ name }) => name)
  if (primaries.length > 1)
    return [
      problem(
        `More than one host of DATABASE_URL accepts writes: ${primaries.map(({ name }) => name).join(', ')}.`,
        'Stop the one that was replaced, and make it a standby of the other.',
      ),
    ]
  if (silent.length > 0)
    return [
      warning(
        `Hosts of DATABASE_URL that do not answer: ${silent.join(', ')}.`,
        'Start them: they cannot replace the primary now.',
      ),
    ]
  return [ok(`${primaries.map(({ name }) => name).join()} accepts writes, and the other hosts of DATABASE_URL answer.`)]
}

export async function checkServer(db: Queryable, config: Config): Promise<Finding[]> {
  const sentMs = Date.now()
  const facts = await findServerFacts(db)
  const machineMs = (sentMs + Date.now()) / 2
  return [
    judgeVersion(facts),
    ...(await listDatabaseProblems(db)).map(({ message, fix }) => findingsOf('database').problem(message, fix)),
    ...(await checkRights(db, facts)),
    ...(await checkConnections(db, config, 'start')),
    judgeClock(facts.now.getTime() - machineMs),
  ]
}

export function judgeVersion({ version, versionNumber, isReadOnly, isUnconfirmed }: ServerFacts): Finding {
  const { ok, problem } = findingsOf('database')
  if (versionNumber < oldestVersion * 10_000)
    return problem(`PostgreSQL ${version} is too old.`, `Upgrade it to version ${oldestVersion} or newer.`)
  if (isReadOnly)
    return problem(
      `PostgreSQL ${version} is read-only.`,
      'Point DATABASE_URL to the primary, or find out why the server accepts no writes.',
    )
  if (isUnconfirmed)
    return problem(
      `PostgreSQL ${version} does not confirm commits.`,
      'Bring its synchronous standby back, or change synchronous_standby_names.',
    )
  return ok(`PostgreSQL ${version} answers.`)
}

async function checkRights(db: Queryable, { role, database, mayCreate }: ServerFacts): Promise<Finding[]> {
  const { ok, warning, problem } = findingsOf('rights')
  const missing = await listMissingExtensions(db, neededExtensions)
  if (missing.length > 0)
    return [
      problem(
        `The PostgreSQL server lacks the extensions ${missing.join(' and ')}.`,
        'Install the package with the additional modules of PostgreSQL on the server, e.g. postgresql-contrib.',
      ),
    ]
  const { owner, hasTables, isOwner, isOrdinary } = await findTablesOwner(db)
  const forbidden = await listForbiddenTables(db)
  if (forbidden.length > 0)
    return [
      problem(
        `The role "${role}" may not read and write ${named(forbidden)}.`,
        isOwner
          ? `Grant it select, insert, update and delete, or make it the owner: alter table … owner to "${role}".`
          : `Grant it what it needs: run \`voucher-service migrate\` as the owner "${owner}", with SERVICE_ROLE=${role}.`,
      ),
    ]
  const hasRights = hasTables && !isOwner
  if (!mayCreate && !hasRights)
    return [
      warning(
        `The role "${role}" may not create tables, so it cannot run migrations.`,
        isOrdinary && !isOwner
          ? `Run \`voucher-service migrate\` as the owner "${owner}", with SERVICE_ROLE=${role}.`
          : `Run \`voucher-service migrate\` as another role, or: grant create on database "${database}" to "${role}".`,
      ),
    ]
  return [
    ok(
      hasRights
        ? `The role "${role}" has the rights it needs. \`voucher-service migrate\` needs the owner "${owner}".`
        : `The role "${role}" has the rights it needs, and the extensions are installed.`,
    ),
  ]
}

/**
 * Says whether the service could change its own audit. That one role both owns the tables and runs the service is a decision of the
 * operator, so it is no warning. Another role should not be able to.
 */
export async function checkAudit(db: Queryable): Promise<Finding> {
  const { ok, warning } = findingsOf('audit')
  const way = await findWayToAudit(db)
  if (!way) return ok('The service cannot change the audit: its role may only read it and add entries.')
  const message = `The service could change the audit. ${describeWay(way)}`
  const { owner, role } = await findTablesOwner(db)
  const isOneRole = owner === role && owner === way.role
  if (isOneRole) return ok(`${message} docs/install.md says how to run the service with another role.`)
  return warning(
    message,
    `${wayRemedies[way.way]} The tables belong to "${owner}": docs/install.md describes the two roles.`,
  )
}

function named(names: string[]): string {
  const shown = names.slice(0, 3).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more tables` : shown
}

export function judgeClock(databaseAheadMs: number): Finding {
  const { ok, warning, problem } = findingsOf('clock')
  const seconds = Math.abs(Math.round(databaseAheadMs / 1_000))
  const message = `The clock of the database is ${seconds} s ${databaseAheadMs > 0 ? 'ahead of' : 'behind'} this machine.`
  const fix = 'Let NTP set the time on both, e.g. with chrony or systemd-timesyncd.'
  if (Math.abs(databaseAheadMs) >= clockProblemMs) return problem(message, fix)
  if (Math.abs(databaseAheadMs) >= clockWarningMs) return warning(message, fix)
  return ok('The clocks of this machine and of the database agree.')
}

export async function checkMigrations(db: Queryable): Promise<Finding> {
  const { ok, warning, problem } = findingsOf('migrations')
  const misfit = await findMisfit(db)
  if (misfit && 'breaking' in misfit) {
    const { problem: message, fix } = describeBreaking(misfit.breaking)
    return problem(message, fix)
  }
  const { missing, unknown } = await compareMigrations(db)
  if (missing.length > 0)
    return problem(
      `The database is not up to date. Missing migrations: ${missing.length}.`,
      'Run `voucher-service migrate`.',
    )
  if (unknown.length > 0)
    return warning(
      `The database belongs to a newer version of the service: it has the migration ${unknown.at(-1)}.`,
      'Replace all processes with that version. This version works with the database until then.',
    )
  return ok('The database is up to date.')
}
