import type { Command } from 'commander'
import type { Database } from '#db/database.ts'
import { CommandRefused } from '#domain/errors.ts'
import type { LogChoice } from '#domain/notifications/delivery-log.queries.ts'
import { readAttempts, readDeliveries } from '#domain/notifications/read-delivery-log.ts'
import { replayDeliveries } from '#domain/notifications/replay-deliveries.ts'
import { pastTime, uuid, wholeNumber } from './arguments.ts'
import { print } from './output.ts'
import { visibleText } from './visible-text.ts'
import { withDatabase } from './with-database.ts'
import { withQueue } from './with-queue.ts'

type LogOptions = { failed?: boolean; limit: number; since?: Date; attempts?: boolean }
type ReplayOptions = { delivery?: string; since?: Date; until?: Date; failed?: boolean }

/** What was sent to a webhook, and sending it again. */
export function registerDeliveries(webhooks: Command): void {
  webhooks
    .command('deliveries')
    .description('what was sent to a webhook and how it was answered, the newest first')
    .argument('<name>')
    .option('--failed', 'only those that were given up')
    .option('--since <time>', 'made since then, e.g. 2h, 3d or 2026-11-14T08:00Z', pastTime)
    .option('--limit <n>', 'how many deliveries', wholeNumber(1, 10_000), 50)
    .option('--attempts', 'every attempt, with the first line of the answer')
    .action(async (name: string, { failed = false, since, limit, attempts }: LogOptions, command: Command) => {
      const choice = { onlyFailed: failed, since: since ?? null, limit }
      const log = await withDatabase<object[]>((db) =>
        attempts ? listShownAttempts(db, name, choice) : readDeliveries(db, name, choice),
      )
      print(command, log)
    })

  webhooks
    .command('replay')
    .description('send again, with the same webhook-id: one delivery, or those of a span of time')
    .argument('<name>')
    .option('--delivery <id>', 'this one; also by its webhook-id', uuid)
    .option('--since <time>', 'made since then, e.g. 2h, 3d or 2026-11-14T08:00Z', pastTime)
    .option('--until <time>', 'made before then', pastTime)
    .option('--failed', 'of these only those that were given up')
    .action(async (name: string, options: ReplayOptions, command: Command) => {
      const choice = choiceOf(options)
      const replay = await withDatabase((db, config) =>
        withQueue(config, (queue) => replayDeliveries({ db, queue }, name, choice)),
      )
      print(command, replay)
    })
}

function choiceOf({ delivery, since, until, failed = false }: ReplayOptions) {
  if ((delivery === undefined) === (since === undefined)) throw new CommandRefused('Give either --delivery or --since.')
  if (delivery !== undefined) return { delivery }
  return { since: since as Date, until: until ?? new Date(), onlyFailed: failed }
}

async function listShownAttempts(db: Database, name: string, choice: LogChoice) {
  const attempts = await readAttempts(db, name, choice)
  return attempts.map((attempt) => ({ ...attempt, reply: firstLine(attempt.reply) }))
}

function firstLine(reply: string | null): string {
  return visibleText(reply?.trimStart().split(/\r?\n/)[0] ?? '')
}
