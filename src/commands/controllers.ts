import { type Command, Option } from 'commander'
import { addController } from '#domain/controllers/add-controller.ts'
import { listControllers } from '#domain/controllers/controllers.queries.ts'
import { CommandRefused } from '#domain/errors.ts'
import { createControllerAddressPolicy } from '#drivers/controller-address-policy.ts'
import type { Credentials } from '#drivers/driver.ts'
import { readCertificate } from '#drivers/read-certificate.ts'
import { drivers } from '#drivers/registry.ts'
import { loadConfig } from '../config.ts'
import { fingerprint } from './arguments.ts'
import { print } from './output.ts'
import { readSecret } from './read-secret.ts'
import { registerSetController } from './set-controller.ts'
import { shownController } from './shown-controller.ts'
import { registerVerifyController } from './verify-controller.ts'
import { withDatabase, withKeyring } from './with-database.ts'

type AddOptions = { name: string; driver: string; address: string; username?: string; secretFile: string; pin?: Buffer }

export function registerControllers(program: Command): void {
  const controllers = program.command('controllers').description('network controllers and their credentials')

  controllers
    .command('add')
    .description('record a controller; its credentials are sealed before they are stored')
    .requiredOption('--name <name>', 'how people call it')
    .addOption(new Option('--driver <driver>', driverHelp()).choices(Object.keys(drivers)).makeOptionMandatory())
    .requiredOption('--address <url>', 'e.g. https://192.168.1.1')
    .option('--username <name>', 'local user, for drivers that sign in')
    .option('--pin <fingerprint>', 'SHA-256 of the one certificate it must show, for a self-signed one', fingerprint)
    .requiredOption('--secret-file <path>', 'file that holds the API key or password; - reads it from standard input')
    .action(async (options: AddOptions, command: Command) => {
      const { name, driver, address, pin } = options
      const credentials = await readCredentials(options)
      const added = await withKeyring((db, config) =>
        addController(db, config.encryptionKeys, {
          name,
          driver,
          address,
          credentials,
          ...(pin && { certificatePin: pin }),
        }),
      )
      print(command, shownController(added))
    })

  registerSetController(controllers)

  controllers
    .command('fingerprint')
    .description('show the certificate of an address, to compare it with the controller and pin it; sends nothing')
    .argument('<url>', 'e.g. https://192.168.1.1')
    .action(async (url: string, _options, command: Command) => {
      if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
        throw new CommandRefused('It must begin with https://.')
      const policy = createControllerAddressPolicy(loadConfig())
      const certificate = await readCertificate(new URL(url), policy).catch((error) => {
        throw new CommandRefused(`No certificate could be read there (${error.code ?? error.message}).`)
      })
      print(command, certificate)
    })

  registerVerifyController(controllers)

  controllers
    .command('list')
    .description('all controllers, without their secrets')
    .action(async (_options, command: Command) =>
      print(command, (await withDatabase((db) => listControllers(db))).map(shownController)),
    )
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
