import type { Command } from 'commander'
import { describeBreaking } from '#db/breaking-migrations.queries.ts'
import type { Queryable } from '#db/database.ts'
import { findMisfit } from '#db/migrate.ts'
import { findTablesOwner } from '#db/service-role.queries.ts'
import { findHold } from '#domain/hold.queries.ts'
import { checkKeyring } from '#domain/secrets/check-keyring.ts'
import { isJournal } from '#lib/journal.ts'
import { serviceVersion } from '#lib/version.ts'
import type { Metrics } from '#metrics/metrics.ts'
import type { WatchTimes } from '#worker/queue-watch.ts'
import { type Config, listMisspelt, loadConfig } from '../../config.ts'
import { type Context, createContext, type Role } from '../../context.ts'
import { withConnection } from '../connections.ts'
import { checkConnections } from '../doctor/check-connections.ts'
import { findServerFacts } from '../doctor/doctor.queries.ts'
import { migrateAll } from '../migrate.ts'
import { CommandRefused } from '../terminal/refusals.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { rejectWrongSettings } from '../unfit-database.ts'
import { startMetrics } from './metrics-part.ts'
import { startApi, startWork } from './service.ts'
import { type Part, stopOnSignal } from './stop-on-signal.ts'

export function registerStart(command: Command, { env }: Terminal): void {
  command.action(async () => {
    const config = loadConfig(env)
    if (await mayMigrate(config)) await migrateAll(config)
    await run(env, { role: 'start', starts: [startWork, startApi] })
  })
}

export function registerApi(command: Command, { env }: Terminal): void {
  command.action(() => run(env, { role: 'api', starts: [startApi] }))
}

export function registerWorker(command: Command, { env }: Terminal): void {
  command.action(() => run(env, { role: 'worker', starts: [startWork] }))
}

type Run = {
  role: Role
  starts: ((ctx: Context, fail: () => void) => Promise<Part>)[]
  watchTimes?: WatchTimes
}

/** Returns once all parts have started. They run until a signal stops them. */
export async function run(env: NodeJS.ProcessEnv, { role, starts, watchTimes }: Run): Promise<void> {
  const config = loadConfig(env)
  const metrics = await createMetricsIfWanted(config, role)
  const ctx = createContext(config, role, { isJournal: isJournal(1, env), watchTimes, observer: metrics?.observer })
  const running = stopOnSignal(ctx.log, (config.drainSeconds + config.shutdownSeconds) * 1000)
  await running.add({ stop: ctx.close })
  for (const { name, meant } of listMisspelt(env))
    ctx.log.warn({}, `${name} is not a setting, so it has no effect; did you mean ${meant}?`)
  try {
    await rejectMisfit(ctx.db)
    await rejectWrongSettings(ctx.db)
    await checkKeyring(ctx.db, config.encryptionKeys)
    await warnIfHeld(ctx)
    for (const { message, fix } of await checkConnections(ctx.db, config, role)) ctx.log.warn({}, `${message} ${fix}`)
    await running.start(() => ctx.start().then(() => undefined)) // `ctx.close` stops it
    if (metrics) await running.start(() => startMetrics(ctx, metrics))
    for (const start of starts) await running.start(() => start(ctx, running.fail))
    if (role !== 'api' && !running.isStopping()) ctx.log.info('worker is running') // all ports are open now
  } catch (error) {
    await running.stopAfter(error)
  }
}

/** Only the owner of the tables migrates them. For another role, `migrate` is a step of its own. */
async function mayMigrate({ databaseDirectUrl, databaseUrl }: Config): Promise<boolean> {
  return withConnection({ url: databaseDirectUrl ?? databaseUrl }, async (db) => {
    const { hasTables, isOwner } = await findTablesOwner(db)
    return hasTables ? isOwner : (await findServerFacts(db)).mayCreate
  })
}

/** Rejects a database that this version cannot work with. */
async function rejectMisfit(db: Queryable): Promise<void> {
  const misfit = await findMisfit(db).catch((error: unknown) => explainForbidden(db, error))
  if (!misfit) return
  if ('missing' in misfit) {
    const { owner, isOwner } = await findTablesOwner(db)
    throw new CommandRefused(
      `The database is not up to date: migration ${misfit.missing} is missing. Run \`voucher-service migrate\`${isOwner ? '' : ` as the owner "${owner}"`} first.`,
    )
  }
  const { problem, fix } = describeBreaking(misfit.breaking)
  throw new CommandRefused(`${problem} ${fix}`)
}

const insufficientPrivilege = '42501'

/** After a restore or a migration without SERVICE_ROLE, the role of the service may not even read the list of migrations. */
async function explainForbidden(db: Queryable, error: unknown): Promise<never> {
  if ((error as { code?: string }).code !== insufficientPrivilege) throw error
  const { owner, isOwner, role } = await findTablesOwner(db)
  if (isOwner) throw error
  throw new CommandRefused(
    `The role "${role}" may not read the tables of the service. Run \`voucher-service migrate\` as the owner "${owner}", with SERVICE_ROLE=${role}.`,
  )
}

async function warnIfHeld({ db, log }: Context): Promise<void> {
  const hold = await findHold(db)
  if (!hold) return
  log.warn(
    { since: hold.since, backupTakenAt: hold.backupTakenAt },
    'the service is held: it does not create or withdraw vouchers, settle creations or send notifications. Run `voucher-service reconcile`, then `voucher-service resume`',
  )
}

/** The library for metrics is loaded only if METRICS_PORT is set. */
async function createMetricsIfWanted({ metricsPort }: Config, role: Role): Promise<Metrics | undefined> {
  if (metricsPort === undefined) return undefined
  const { createMetrics } = await import('#metrics/metrics.ts')
  return createMetrics({ version: serviceVersion(), role })
}
