import { type Command, Option } from 'commander'
import { addController } from '#domain/controllers/add-controller.ts'
import { listControllers } from '#domain/controllers/controllers.queries.ts'
import { CommandRefused } from '#domain/errors.ts'
import type { Credentials } from '#drivers/driver.ts'
import { drivers } from '#drivers/registry.ts'
import { print } from './output.ts'
import { readSecret } from './read-secret.ts'
import { withDatabase } from './with-database.ts'

type AddOptions = { name: string; driver: string; address: string; username?: string; secretFile: string }

export function registerControllers(program: Command): void {
  const controllers = program.command('controllers').description('network controllers and their credentials')

  controllers
    .command('add')
    .description('record a controller; its credentials are sealed before they are stored')
    .requiredOption('--name <name>', 'how people call it')
    .addOption(new Option('--driver <driver>', driverHelp()).choices(Object.keys(drivers)).makeOptionMandatory())
    .requiredOption('--address <url>', 'e.g. https://192.168.1.1')
    .option('--username <name>', 'local user, for drivers that sign in')
    .requiredOption('--secret-file <path>', 'file that holds the API key or password; - reads it from standard input')
    .action(async (options: AddOptions, command: Command) => {
      const { name, driver, address } = options
      const credentials = await readCredentials(options)
      const added = await withDatabase((db, config) =>
        addController(db, config.encryptionKeys, { name, driver, address, credentials }),
      )
      print(command, added)
    })

  controllers
    .command('list')
    .description('all controllers, without their secrets')
    .action(async (_options, command: Command) => print(command, await withDatabase((db) => listControllers(db))))
}

async function readCredentials(options: AddOptions): Promise<Credentials> {
  const wantsLogin = drivers[options.driver]?.credentials === 'login'
  if (wantsLogin !== (options.username !== undefined)) {
    throw new CommandRefused(`${options.driver} ${wantsLogin ? 'needs' : 'takes no'} --username.`)
  }
  const secret = await readSecret(options.secretFile)
  return options.username === undefined ? { apiKey: secret } : { username: options.username, password: secret }
}

function driverHelp(): string {
  return Object.entries(drivers)
    .map(([name, { about }]) => `${name}: ${about}`)
    .join('; ')
}
