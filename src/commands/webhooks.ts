import { type Command, Option } from 'commander'
import { addWebhook } from '#domain/notifications/add-webhook.ts'
import { enableWebhook } from '#domain/notifications/enable-webhook.ts'
import { formats } from '#domain/notifications/formats.ts'
import { createReceiverAddresses } from '#domain/notifications/receiver-addresses.ts'
import { receiverUrl } from '#domain/notifications/receiver-url.ts'
import { createReceivers } from '#domain/notifications/receivers.ts'
import { removeWebhook } from '#domain/notifications/remove-webhook.ts'
import { rotateWebhookSecret } from '#domain/notifications/rotate-webhook-secret.ts'
import { testWebhook } from '#domain/notifications/test-webhook.ts'
import { listWebhooks } from '#domain/notifications/webhooks.queries.ts'
import { machineClock } from '#lib/clock.ts'
import { manySites } from './arguments.ts'
import { registerDeliveries } from './deliveries.ts'
import { print } from './output.ts'
import { readSecret } from './read-secret.ts'
import { withDatabase, withKeyring } from './with-database.ts'

type AddOptions = { name: string; format: string; urlFile: string; site?: number[]; controllers?: boolean }

export function registerWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('where notifications are sent')

  webhooks
    .command('add')
    .description('send a notification for each creation; a signing secret is printed this once')
    .requiredOption('--name <name>', 'how people call it')
    .addOption(new Option('--format <format>', formatHelp()).choices(Object.keys(formats)).makeOptionMandatory())
    .requiredOption('--url-file <path>', 'file that holds the address, which may be a secret; - reads standard input')
    .option('--site <id>', 'only this site; repeat for more', manySites)
    .option('--controllers', 'tell also when a controller is lost and when it is back')
    .action(async ({ name, format, urlFile, site, controllers = false }: AddOptions, command: Command) => {
      const address = await readSecret(urlFile)
      const added = await withKeyring((db, config) => {
        const url = receiverUrl(address, createReceiverAddresses(config))
        const request = { name, format, url, siteIds: site, reportsControllers: controllers }
        return addWebhook(db, config.encryptionKeys, request)
      })
      print(command, added)
    })

  webhooks
    .command('list')
    .description('all webhooks, without their addresses and secrets')
    .action(async (_options, command: Command) => print(command, await withDatabase((db) => listWebhooks(db))))

  webhooks
    .command('test')
    .description('send a test notification now and tell how it was answered')
    .argument('<name>')
    .action(async (name: string, _options, command: Command) => {
      const result = await withDatabase(async (db, config) => {
        const receivers = createReceivers(createReceiverAddresses(config))
        const keyring = config.encryptionKeys
        return testWebhook({ db, keyring, receivers, clock: machineClock }, name).finally(receivers.close)
      })
      print(command, result)
      if (!result.arrived) process.exitCode = 1
    })

  webhooks
    .command('rotate')
    .description('make a new signing secret and print it this once; for 24 hours the old one signs as well')
    .argument('<name>')
    .action(async (name: string, _options, command: Command) =>
      print(command, await withKeyring((db, config) => rotateWebhookSecret(db, config.encryptionKeys, name))),
    )

  webhooks
    .command('enable')
    .description('use a webhook again that was disabled because its receiver was gone')
    .argument('<name>')
    .action(async (name: string, _options, command: Command) =>
      print(command, await withDatabase((db) => enableWebhook(db, name))),
    )

  registerDeliveries(webhooks)

  webhooks
    .command('remove')
    .description('send nothing there any more and forget it, with the log of its deliveries')
    .argument('<name>')
    .action(async (name: string, _options, command: Command) =>
      print(command, await withDatabase((db) => removeWebhook(db, name))),
    )
}

function formatHelp(): string {
  return Object.entries(formats)
    .map(([name, { about }]) => `${name}: ${about}`)
    .join('; ')
}
