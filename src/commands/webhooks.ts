import { type Command, Option } from 'commander'
import type { Database } from '#db/database.ts'
import type { LogChoice } from '#domain/deliveries/delivery-log.queries.ts'
import { readAttempts, readDeliveries } from '#domain/deliveries/read-delivery-log.ts'
import { addWebhook, enableWebhook, removeWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { changeWebhook } from '#domain/webhooks/change-webhook.ts'
import { defaultEvents, eventTypes, type Language, languages, readEventTypes } from '#domain/webhooks/event-types.ts'
import { formats } from '#domain/webhooks/formats.ts'
import { createReceiverAddresses, receiverUrl } from '#domain/webhooks/receiver-url.ts'
import { rotateWebhookSecret } from '#domain/webhooks/webhook-secret.ts'
import { listWebhooks } from '#domain/webhooks/webhooks.queries.ts'
import { machineClock } from '#lib/clock.ts'
import { visibleText } from '#lib/visible-text.ts'
import { withDatabase, withKeyring, withQueue } from './connections.ts'
import { collectSites, pastTime, uuid, wholeNumber } from './terminal/arguments.ts'
import { print } from './terminal/output.ts'
import { readSecret } from './terminal/read-input.ts'
import { CommandRefused } from './terminal/refusals.ts'
import { commandActor, type Terminal } from './terminal/terminal.ts'

type SetOptions = { events?: string[]; language?: Language }
type AddOptions = SetOptions & { name: string; format: string; urlFile: string; site?: number[] }
type LogOptions = { failed?: boolean; limit: number; since?: Date; attempts?: boolean }
type ReplayOptions = { delivery?: string; since?: Date; until?: Date; failed?: boolean }

export function registerWebhooks(webhooks: Command, terminal: Terminal): void {
  webhooks
    .command('add')
    .description(
      'send notifications to an address; for the format generic, prints a signing secret, which is shown only once',
    )
    .requiredOption('--name <name>', 'display name')
    .addOption(new Option('--format <format>', describeFormats()).choices(Object.keys(formats)).makeOptionMandatory())
    .requiredOption('--url-file <path>', 'file with the address, which may be a secret; - reads standard input')
    .option('--site <id>', 'only this site; repeat the option for more', collectSites)
    .option('--events <types>', `${describeEvents()}; default: ${defaultEvents}`, commaList)
    .addOption(languageOption('; default: de'))
    .action(async ({ name, format, urlFile, site, events, language }: AddOptions) => {
      const address = await readSecret(terminal, urlFile)
      const added = await withKeyring(terminal, (db, config) => {
        const url = receiverUrl(address, createReceiverAddresses(config))
        const chosen = { siteIds: site, events: events && readEventTypes(events), language }
        return addWebhook({ db, keyring: config.encryptionKeys }, commandActor(), { name, format, url, ...chosen })
      })
      print(terminal, added)
    })

  webhooks
    .command('set')
    .description('change the events of a webhook, or the language of its sentences')
    .argument('<name>')
    .option(
      '--events <types>',
      `the events that it gets from now on, instead of the old ones: ${describeEvents()}`,
      commaList,
    )
    .addOption(languageOption())
    .action(async (name: string, { events, language }: SetOptions) => {
      if (!events && !language)
        throw new CommandRefused('Nothing to change was given. Use --events, --language or both.')
      const request = { events: events && readEventTypes(events), language }
      const changed = await withDatabase(terminal, (db, config) =>
        changeWebhook({ db, keyring: config.encryptionKeys }, commandActor(), name, request),
      )
      print(terminal, changed)
    })

  webhooks
    .command('list')
    .description('list all webhooks, without their addresses and secrets')
    .action(async () => print(terminal, await withDatabase(terminal, (db) => listWebhooks(db))))

  webhooks
    .command('test')
    .description('send a test notification now and show the answer')
    .argument('<name>')
    .action((name: string) => sendTest(terminal, name))

  webhooks
    .command('rotate')
    .description('create a new signing secret and print it once; for 24 hours, events are signed with the old one too')
    .argument('<name>')
    .action(async (name: string) => {
      const rotated = await withKeyring(terminal, (db, config) =>
        rotateWebhookSecret({ db, keyring: config.encryptionKeys }, commandActor(), name),
      )
      print(terminal, rotated)
    })

  webhooks
    .command('enable')
    .description('enable a webhook that was disabled')
    .argument('<name>')
    .action(async (name: string) =>
      print(terminal, await withDatabase(terminal, (db) => enableWebhook(db, commandActor(), name))),
    )

  webhooks
    .command('deliveries')
    .description('list what was sent to a webhook and how it was answered, newest first')
    .argument('<name>')
    .option('--failed', 'only deliveries that were given up')
    .option('--since <time>', 'only events since this time, e.g. 2h, 3d or 2026-11-14T08:00Z', pastTime)
    .option('--limit <n>', 'number of deliveries', wholeNumber(1, 10_000), 50)
    .option('--attempts', 'show every attempt, with the first line of the answer')
    .action(async (name: string, { failed = false, since, limit, attempts }: LogOptions) => {
      const choice: LogChoice = { state: failed ? 'failed' : null, since: since ?? null, limit }
      const list = attempts ? listAttempts : listDeliveries
      print(terminal, await withDatabase<object[]>(terminal, (db) => list(db, name, choice)))
    })

  webhooks
    .command('replay')
    .description('replay one delivery, or all deliveries of a period, with the same webhook-id')
    .argument('<name>')
    .option('--delivery <id>', 'this delivery, by its id or its webhook-id', uuid)
    .option('--since <time>', 'only events since this time, e.g. 2h, 3d or 2026-11-14T08:00Z', pastTime)
    .option('--until <time>', 'only events before this time', pastTime)
    .option('--failed', 'only deliveries that were given up')
    .action((name: string, options: ReplayOptions) => replay(terminal, name, options))

  webhooks
    .command('remove')
    .description('remove a webhook and the log of its deliveries')
    .argument('<name>')
    .action(async (name: string) =>
      print(terminal, await withDatabase(terminal, (db) => removeWebhook(db, commandActor(), name))),
    )
}

function describeFormats(): string {
  return Object.entries(formats)
    .map(([name, { about }]) => `${name}: ${about}`)
    .join('; ')
}

function describeEvents(): string {
  const described = Object.entries(eventTypes).map(([type, about]) => `${type}: ${about}`)
  return `types of events, separated by commas. ${described.join(' ')}`
}

function commaList(value: string): string[] {
  return value.split(',').map((part) => part.trim())
}

function languageOption(note = ''): Option {
  return new Option('--language <language>', `language of the sentences in chats${note}`).choices(languages)
}

async function sendTest(terminal: Terminal, name: string): Promise<void> {
  const { createReceivers } = await import('#domain/deliveries/receivers.ts')
  const { testWebhook } = await import('#domain/deliveries/send-event.ts')
  const result = await withDatabase(terminal, async (db, config) => {
    const receivers = createReceivers(createReceiverAddresses(config))
    const keyring = config.encryptionKeys
    return testWebhook({ db, keyring, receivers, clock: machineClock }, commandActor(), name).finally(receivers.close)
  })
  print(terminal, { ...result, reply: visibleText(result.reply ?? '') })
  if (!result.arrived) terminal.exitCode = 1
}

async function listDeliveries(db: Database, name: string, choice: LogChoice) {
  const deliveries = await readDeliveries(db, commandActor(), name, choice)
  return deliveries.map(({ failures: _, ...delivery }) => delivery)
}

async function listAttempts(db: Database, name: string, choice: LogChoice) {
  const { firstLine } = await import('#domain/deliveries/send-event.ts')
  const attempts = await readAttempts(db, commandActor(), name, choice)
  return attempts.map((attempt) => ({ ...attempt, reply: visibleText(firstLine(attempt.reply) ?? '') }))
}

async function replay(terminal: Terminal, name: string, options: ReplayOptions): Promise<void> {
  const choice = toChoice(options)
  const { replayDeliveries } = await import('#domain/deliveries/replay-deliveries.ts')
  const { replayed } = await withDatabase(terminal, (db, config) =>
    withQueue(config, (queue) => replayDeliveries({ db, queue }, commandActor(), name, choice)),
  )
  print(terminal, { replayed })
}

function toChoice({ delivery, since, until, failed = false }: ReplayOptions) {
  if ((delivery === undefined) === (since === undefined))
    throw new CommandRefused('Say what to send again: use either --delivery or --since.')
  if (delivery !== undefined) return { delivery }
  return { since: since as Date, until: until ?? new Date(), onlyFailed: failed }
}
