import { program } from 'commander'
import { registerControllers } from './commands/controllers.ts'
import { registerDemo } from './commands/demo.ts'
import { describeFailure } from './commands/failures.ts'
import { registerKeys } from './commands/keys.ts'
import { registerMigrate } from './commands/migrate.ts'
import { registerRun } from './commands/run.ts'
import { registerSecrets } from './commands/secrets.ts'
import { registerSimulator } from './commands/simulator.ts'
import { registerSites } from './commands/sites.ts'
import { registerTemplates } from './commands/templates.ts'
import { registerWebhooks } from './commands/webhooks.ts'

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

registerRun(program)
registerMigrate(program)
registerControllers(program)
registerSites(program)
registerTemplates(program)
registerKeys(program)
registerWebhooks(program)
registerSecrets(program)
registerDemo(program)
registerSimulator(program)

try {
  await program.parseAsync()
} catch (error) {
  const { message, exitCode } = describeFailure(error)
  process.stderr.write(`voucher-service: ${message}\n`)
  process.exitCode = exitCode
}
