import { program } from 'commander'
import { describeFailure } from './commands/failures.ts'

/** What registers each command. Only what is asked for is loaded: all of it together takes most of a second. */
const registers: Record<string, () => Promise<void>> = {
  start: async () => (await import('./commands/run.ts')).registerRun(program),
  migrate: async () => (await import('./commands/migrate.ts')).registerMigrate(program),
  controllers: async () => (await import('./commands/controllers.ts')).registerControllers(program),
  sites: async () => (await import('./commands/sites.ts')).registerSites(program),
  reconcile: async () => (await import('./commands/reconcile.ts')).registerReconcile(program),
  templates: async () => (await import('./commands/templates.ts')).registerTemplates(program),
  keys: async () => (await import('./commands/keys.ts')).registerKeys(program),
  webhooks: async () => (await import('./commands/webhooks.ts')).registerWebhooks(program),
  secrets: async () => (await import('./commands/secrets.ts')).registerSecrets(program),
  demo: async () => (await import('./commands/demo.ts')).registerDemo(program),
  simulator: async () => (await import('./commands/simulator.ts')).registerSimulator(program),
}
const sameAs: Record<string, string> = { api: 'start', worker: 'start' }

program
  .name('voucher-service')
  .description('Wi-Fi access vouchers for many sites, each on its own network controller.')
  .option('--json', 'print JSON instead of words')
  .showHelpAfterError('(--help shows what there is)')
  .configureHelp({ showGlobalOptions: true })
  .addHelpText(
    'after',
    '\nSettings come from the environment; docs/settings.md lists them.\nExit codes: 0 done, 1 refused or failed, 2 wrong usage or settings.',
  )
  .exitOverride((exit) => process.exit(exit.exitCode === 0 ? 0 : 2))

const command = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? ''
const only = registers[sameAs[command] ?? command]
for (const register of only ? [only] : Object.values(registers)) await register()

try {
  await program.parseAsync()
} catch (error) {
  const { message, exitCode } = describeFailure(error)
  process.stderr.write(`voucher-service: ${message}\n`)
  process.exitCode = exitCode
}
