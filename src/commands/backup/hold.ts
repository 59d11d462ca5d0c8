import type { Command } from 'commander'
import { requeueOverdue } from '#domain/deliveries/enqueue-deliveries.ts'
import { findHold, type Hold } from '#domain/hold.queries.ts'
import { findHeldWork, type HeldWork } from '#domain/holding/held-work.queries.ts'
import { holdByCommand, resume } from '#domain/holding/hold.ts'
import { withDatabase, withQueue } from '../connections.ts'
import { print } from '../terminal/output.ts'
import { confirm } from '../terminal/prompts.ts'
import { CommandRefused } from '../terminal/refusals.ts'
import { commandActor, type Terminal } from '../terminal/terminal.ts'

const maxNamedSites = 20

export function registerHold(command: Command, terminal: Terminal): void {
  command.action(() =>
    withDatabase(terminal, async (db) => {
      const isNew = await holdByCommand(db, commandActor())
      terminal.stderr.write(
        isNew
          ? 'The service is held. Calls that are under way are completed. `voucher-service resume` ends the hold.\n'
          : 'The service was held already. `voucher-service resume` ends the hold.\n',
      )
    }),
  )
}

export function registerResume(command: Command, terminal: Terminal): void {
  command.option('--yes', 'do not ask for confirmation').action(({ yes }: { yes?: true }) =>
    withDatabase(terminal, async (db, config) => {
      const hold = await findHold(db)
      if (!hold) return void terminal.stderr.write('The service is not held. There is nothing to do.\n')
      const work = await findHeldWork(db, hold.since)
      print(terminal, { heldSince: hold.since, backupTakenAt: hold.backupTakenAt, ...work })
      terminal.stderr.write(`${describe(hold, work).join('\n')}\n`)
      if (!yes) await confirm(terminal, 'End the hold?')
      if (!(await resume(db, commandActor(), hold.since, work)))
        throw new CommandRefused(
          'This hold had already ended, so nothing was changed. If the service is held again, run `voucher-service resume` again.',
        )
      const requeued = await withQueue(config, (queue) => requeueOverdue({ db, queue }, 0))
      terminal.stderr.write(
        `The hold has ended. The workers continue within seconds. Deliveries that were queued again: ${requeued}.\n`,
      )
    }),
  )
}

/**
 * Describes the open questions of the hold, the work that starts when it ends, and the losses that cannot be repaired.
 */
function describe(hold: Hold, work: HeldWork): string[] {
  return [...describeOpenQuestions(work), ...describeNext(work), ...(hold.reason === 'restored' ? [notRepaired] : [])]
}

function describeOpenQuestions({ adopted, unrecorded, unsyncedSites }: HeldWork): string[] {
  const named = unsyncedSites.slice(0, maxNamedSites).join(', ')
  const more = unsyncedSites.length > maxNamedSites ? ` and ${unsyncedSites.length - maxNamedSites} more` : ''
  return [
    `Vouchers recorded from the controllers since the hold began: ${adopted}.`,
    ...(unsyncedSites.length > 0
      ? [
          `Warning: these sites were not synced since then: ${named}${more}. Start a worker, and see \`voucher-service sites list\`.`,
        ]
      : []),
    ...(unrecorded > 0
      ? [
          `Warning: vouchers on the controllers that are still not recorded: ${unrecorded}. \`voucher-service reconcile\` lists them.`,
        ]
      : []),
  ]
}

function describeNext(work: HeldWork): string[] {
  const { unsettledCreations, openBatches, rowsToMake, dueWithdrawals, endedStays, pendingDeliveries } = work
  return [
    'When the hold ends:',
    `- Vouchers that are withdrawn: ${dueWithdrawals}. Of these, because the stay has ended: ${endedStays}.`,
    `- Batches that continue: ${openBatches}. Vouchers that they create: ${rowsToMake}. Cancel batches whose vouchers were already created after the backup.`,
    `- Creations without a known outcome, which are looked up: ${unsettledCreations}.`,
    `- Notifications that are sent: ${pendingDeliveries}. Receivers may get some a second time, with the same webhook-id.`,
  ]
}

const notRepaired =
  'Not repaired: a client that repeats a request from the time after the backup gets a second voucher. Changes of that time to stays, keys, sites and settings are lost. See docs/backups.md.'
