import { type Command, Option } from 'commander'
import { addWebhook } from '#domain/notifications/add-webhook.ts'
import { formats } from '#domain/notifications/formats.ts'
import { removeWebhook } from '#domain/notifications/remove-webhook.ts'
import { testWebhook } from '#domain/notifications/test-webhook.ts'
import { listWebhooks } from '#domain/notifications/webhooks.queries.ts'
import { manySites } from './arguments.ts'
import { print } from './output.ts'
import { readSecret } from './read-secret.ts'
import { withDatabase } from './with-database.ts'

type AddOptions = { name: string; format: string; urlFile: string; site?: number[] }

export function registerWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('where notifications are sent')

  webhooks
    .command('add')
    .description('send a notification for each creation; a signing secret is printed this once')
    .requiredOption('--name <name>', 'how people call it')
    .addOption(new Option('--format <format>', formatHelp()).choices(Object.keys(formats)).makeOptionMandatory())
    .requiredOption('--url-file <path>', 'file that holds the address, which may be a secret; - reads standard input')
    .option('--site <id>', 'only this site; repeat for more', manySites)
    .action(async ({ name, format, urlFile, site }: AddOptions, command: Command) => {
      const url = await readSecret(urlFile)
      const added = await withDatabase((db, config) =>
        addWebhook(db, config.encryptionKeys, { name, format, url, siteIds: site }),
      )
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
      const result = await withDatabase((db, config) => testWebhook({ db, keyring: config.encryptionKeys }, name))
      print(command, result)
      if (!result.arrived) process.exitCode = 1
    })

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
