import type { Command } from 'commander'
import { describeBreaking } from '#db/breaking-migrations.queries.ts'
import type { Queryable } from '#db/database.ts'
import { compareMigrations, compareWith, findMisfit, listBreaking, migrate } from '#db/migrate.ts'
import { findUsedSiteNumbers, lockSiteNumbers, updateSiteNumbers } from '#db/site-numbers.queries.ts'
import { auditRowsPerCall, stripAudit, updateAuditRetention } from '#domain/audit/audit.queries.ts'
import { repeatWhileFull } from '#lib/pieces.ts'
import { migrateQueue } from '#queue/queue.ts'
import { type Config, loadConfig } from '../config.ts'
import { withConnection, withDatabase } from './connections.ts'
import { creatingTables } from './creating-tables.ts'
import { describeOnlyUser, grantServiceRole, rejectOtherThanOwner, rejectUnfitRole } from './grant-service-role.ts'
import { print } from './terminal/output.ts'
import { CommandRefused } from './terminal/refusals.ts'
import type { Terminal } from './terminal/terminal.ts'

export function registerMigrate(command: Command, terminal: Terminal): void {
  command
    .option('--check', 'only compare the database with this version; exit codes: 0 equal, 3 older, 4 newer')
    .action(async ({ check }: { check?: true }) => {
      if (check) return checkMigrations(terminal)
      const config = loadConfig(terminal.env)
      const applied = await migrateAll(config)
      print(terminal, { applied })
      const isNew = compareWith(applied).missing.length === 0
      if (isNew && config.serviceRole === undefined)
        terminal.stderr.write((await withDatabase(terminal, describeOnlyUser)) ?? '')
      for (const { name, breaksBefore, reason } of listBreaking(applied))
        terminal.stderr.write(
          `Processes older than version ${breaksBefore} no longer work, because of migration ${name} (${reason}). Replace all of them now.\n`,
        )
    })
}

/** A database that has migrations of a newer version and lacks some of this one counts as newer. */
const exitCodes = { 'up to date': 0, older: 3, newer: 4 }

async function checkMigrations(terminal: Terminal): Promise<void> {
  const { missing, unknown, misfit } = await withDatabase(terminal, async (db) => ({
    ...(await compareMigrations(db)),
    misfit: await findMisfit(db),
  }))
  const state = unknown.length > 0 ? 'newer' : missing.length > 0 ? 'older' : 'up to date'
  const breaking = listBreaking(missing)
  print(terminal, { database: state, missing, unknown, breaking: breaking.map(({ name }) => name) })
  for (const { name, breaksBefore, reason } of breaking)
    terminal.stderr.write(
      `Stop every process older than version ${breaksBefore} before you migrate: migration ${name} breaks it (${reason}).\n`,
    )
  if (misfit && 'breaking' in misfit) terminal.stderr.write(`${describeBreaking(misfit.breaking).problem}\n`)
  terminal.exitCode = exitCodes[state]
}

type MigrateSettings = Pick<Config, 'databaseUrl'> &
  Partial<
    Pick<
      Config,
      'databaseDirectUrl' | 'timeZone' | 'firstSiteNumber' | 'lastSiteNumber' | 'retainAuditDays' | 'serviceRole'
    >
  >

/**
 * Migrates the service's tables and the queue's as their owner, sets the numbers of new sites, stores how long the audit is kept, and
 * grants SERVICE_ROLE its rights. Returns the service's new migrations.
 */
export async function migrateAll(settings: MigrateSettings): Promise<string[]> {
  const { databaseDirectUrl: url = settings.databaseUrl, firstSiteNumber: first, lastSiteNumber: last } = settings
  await rejectOtherThanOwner(url, 'migrate')
  if (settings.serviceRole !== undefined) await rejectUnfitRole(url, settings.serviceRole)
  const applied = await creatingTables(url, async () => {
    const names = await migrate(url, { timeZone: settings.timeZone })
    await migrateQueue(url)
    return names
  })
  if (first !== undefined) await setSiteNumbers(url, { first, last })
  await prepareAudit(url, settings.retainAuditDays)
  if (settings.serviceRole !== undefined) await grantServiceRole(url, settings.serviceRole)
  return applied
}

/** Stores how long the audit is kept, and removes the names of guests that version 0.1.0 wrote into it. */
async function prepareAudit(url: string, retainAuditDays: number | undefined): Promise<void> {
  return withConnection({ url }, async (db) => {
    await updateAuditRetention(db, retainAuditDays)
    await repeatWhileFull(auditRowsPerCall, () => stripAudit(db))
  })
}

/** If `last` is undefined, the last number that was set before stays. */
type SiteNumbers = { first: number; last: number | undefined }

/** Sets which numbers new sites get. When nothing changes, which is the usual case, it only reads. */
async function setSiteNumbers(url: string, wanted: SiteNumbers): Promise<void> {
  return withConnection({ url }, async (db) => {
    if (!(await findChange(db, wanted))) return
    await db.transaction(async (tx) => {
      await lockSiteNumbers(tx)
      const change = await findChange(tx, wanted)
      if (change) await updateSiteNumbers(tx, change)
    })
  })
}

/**
 * Numbers only go up: a lower first number changes nothing, so that the number of a removed site is not used again. Sites keep
 * their numbers, because clients use them. So settings that leave out a site are rejected: a router would send its requests
 * to another cell.
 */
async function findChange(
  db: Queryable,
  { first, last: wantedLast }: SiteNumbers,
): Promise<{ next: number; last: number } | undefined> {
  const used = await findUsedSiteNumbers(db)
  const last = wantedLast ?? used.last
  const next = Math.max(used.next, first)
  if (used.lowest !== null && used.lowest < first)
    throw new CommandRefused(
      `Site ${used.lowest} has a lower number than FIRST_SITE_NUMBER (${first}), and sites keep their numbers. Set FIRST_SITE_NUMBER to ${used.lowest} or lower.`,
    )
  if (used.last === last && used.next === next) return undefined
  if (next > last)
    throw new CommandRefused(
      `The next site gets the number ${next}, which is above LAST_SITE_NUMBER (${last}). Set LAST_SITE_NUMBER to ${next} or higher.`,
    )
  return { next, last }
}
