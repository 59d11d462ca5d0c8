import type { Command } from 'commander'
import { connectDatabase, createDatabaseClock, type Database } from '#db/database.ts'
import { type Config, loadConfig } from '../../config.ts'
import { print } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { checkControllers } from './check-controllers.ts'
import {
  checkAudit,
  checkConnection,
  checkDirectAddress,
  checkHosts,
  checkMigrations,
  checkServer,
} from './check-database.ts'
import { checkDisk } from './check-disk.ts'
import { checkProvider } from './check-provider.ts'
import { checkPublicUrl } from './check-public-url.ts'
import { checkRedis } from './check-redis.ts'
import { checkAuditRetention, checkRetention } from './check-retention.ts'
import { checkSecrets } from './check-secrets.ts'
import { checkSettings } from './check-settings.ts'
import { checkMail, checkSites, checkWebhooks, checkWork } from './check-work.ts'
import { type Finding, findingsOf } from './finding.ts'

/**
 * The checks only read, with two exceptions: Redis gets one key that expires after a second, and a sign-in to a controller is
 * stored as its shared session. `--json` prints the findings as a list.
 */
export function registerDoctor(command: Command, terminal: Terminal): void {
  command
    .option('--no-controllers', 'do not call the controllers')
    .addHelpText('after', '\nRepairs nothing. Exit codes: 0 no problem, 1 at least one problem.')
    .action(async ({ controllers }: { controllers: boolean }) => {
      const findings: Finding[] = []
      for await (const finding of examine(terminal.env, { controllers })) {
        findings.push(finding)
        if (!terminal.json) terminal.stdout.write(`${describe(finding)}\n`)
      }
      if (terminal.json) print(terminal, findings)
      else terminal.stdout.write(`${summarize(findings)}\n`)
      if (findings.some(({ result }) => result === 'problem')) terminal.exitCode = 1
    })
}

type Examination = { controllers: boolean }

/** Yields each finding as soon as it is known, because calls to controllers take seconds. */
async function* examine(env: NodeJS.ProcessEnv, { controllers }: Examination): AsyncGenerator<Finding> {
  const settings = checkSettings(env)
  yield* settings
  if (settings.some(({ result }) => result === 'problem')) return // the other checks need the settings
  const config = loadConfig(env)
  yield checkRetention(config)
  const { databaseUrl: url, databasePreparedStatements: preparedStatements } = config
  const db = connectDatabase({
    url,
    preparedStatements,
    poolSize: 4,
    name: 'voucher-service doctor',
    onError: () => {},
  })
  try {
    yield* examineDatabase(db, config, { controllers })
  } finally {
    await db.close()
  }
  yield* await attempt('redis', () => checkRedis(config))
  yield* await attempt('sign-in', () => checkProvider(config))
  yield* await attempt('public url', () => checkPublicUrl(config))
}

async function* examineDatabase(db: Database, config: Config, { controllers }: Examination): AsyncGenerator<Finding> {
  const unreachable = await checkConnection(db)
  if (unreachable) return yield unreachable
  const server = await attempt('database', () => checkServer(db, config))
  yield* server
  yield* await attempt('database', () => checkHosts(config))
  yield* await attempt('database', () => checkDirectAddress(db, config))
  yield* await attempt('disk', () => checkDisk(db, config))
  if (server.some(({ check, result }) => check === 'rights' && result === 'problem')) return // the next checks read tables
  const migrations = await attempt('migrations', () => checkMigrations(db))
  yield* migrations
  if (migrations.some(({ result }) => result === 'problem')) return // tables may be missing
  yield* await attempt('retention', () => checkAuditRetention(db, config))
  yield* await attempt('audit', () => checkAudit(db))
  yield* await attempt('secrets', () => checkSecrets(db, config.encryptionKeys))
  yield* await attempt('worker', () => checkWork(db))
  yield* await attempt('webhooks', () => checkWebhooks(db))
  yield* await attempt('mail', () => checkMail(db))
  yield* await attempt('sites', () => checkSites(db))
  if (!controllers) return
  const clock = createDatabaseClock(db)
  await clock.start()
  try {
    yield* checkControllers({ db, config, clock })
  } finally {
    clock.stop()
  }
}

/** A check that fails unexpectedly is a problem as well, and the other checks still run. */
async function attempt(name: string, check: () => Promise<Finding | Finding[]>): Promise<Finding[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    return [
      findingsOf(name).problem(`This could not be checked: ${reason}.`, 'Correct this, then run the doctor again.'),
    ]
  }
}

function describe({ result, check, message, fix }: Finding): string {
  return `${result.padEnd(7)}  ${check.padEnd(11)}  ${message}${fix === null ? '' : ` ${fix}`}`
}

function summarize(findings: Finding[]): string {
  const count = (wanted: Finding['result']) => findings.filter(({ result }) => result === wanted).length
  return `\nProblems: ${count('problem')}, warnings: ${count('warning')}, ok: ${count('ok')}`
}
