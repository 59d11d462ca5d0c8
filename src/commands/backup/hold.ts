import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Database } from '#db/database.ts'
import { requeueOverdue } from '#domain/deliveries/enqueue-deliveries.ts'
import { applyReceipts } from '#domain/guests/apply-receipts.ts'
import type { EraseContext } from '#domain/guests/erase-guests.ts'
import { countErasuresWithout, findsUnknownErasure, type Receipt } from '#domain/guests/erasures.queries.ts'
import { findHold, type Hold } from '#domain/hold.queries.ts'
import { findHeldWork, type HeldWork } from '#domain/holding/held-work.queries.ts'
import { holdByCommand, holdRestored, resume } from '#domain/holding/hold.ts'
import { withDatabase, withQueue } from '../connections.ts'
import { type AllReceipts, readReceiptLines } from '../guests/receipt-lines.ts'
import { pastTime } from '../terminal/arguments.ts'
import { print } from '../terminal/output.ts'
import { confirm } from '../terminal/prompts.ts'
import { readText } from '../terminal/read-input.ts'
import { CommandRefused } from '../terminal/refusals.ts'
import { commandActor, type Terminal } from '../terminal/terminal.ts'

const maxNamedSites = 20
/** About a million vouchers. */
const maxReceiptsMiB = 64

export function registerHold(command: Command, terminal: Terminal): void {
  command
    .option(
      '--restored-to <time>',
      'after a restore with other tools: the time up to which the restored data goes, e.g. 2026-11-19T14:32Z',
      beforeNow,
    )
    .action(({ restoredTo }: { restoredTo?: Date }) => hold(terminal, restoredTo))
}

function hold(terminal: Terminal, restoredTo: Date | undefined): Promise<void> {
  return withDatabase(terminal, async (db) => {
    if (restoredTo) {
      await holdRestored(db, commandActor(), restoredTo)
      terminal.stderr.write(
        `The service is held. The restored data goes up to ${restoredTo.toISOString()}. Start the service, run \`voucher-service reconcile\`, and then \`voucher-service resume --erased <file>\` (docs/backups.md).\n`,
      )
    } else {
      const isNew = await holdByCommand(db, commandActor())
      terminal.stderr.write(
        isNew
          ? 'The service is held. Calls that are under way are completed. `voucher-service resume` ends the hold.\n'
          : 'The service was held already. `voucher-service resume` ends the hold.\n',
      )
    }
  })
}

/** Reads a time in the past, also as PostgreSQL prints it and pgBackRest accepts it: `2026-11-19 14:32:00.123456+00`. */
function beforeNow(value: string): Date {
  const time = pastTime(
    value
      .replace(' ', 'T')
      .replace(/(\.\d{3})\d+/, '$1')
      .replace(/([:.]\d+[+-]\d\d)(\d\d)?$/, (_, start, minutes = '00') => `${start}:${minutes}`),
  )
  if (time.getTime() > Date.now()) throw new InvalidArgumentError('The time is in the future.')
  return time
}

export function registerResume(command: Command, terminal: Terminal): void {
  command
    .option('--yes', 'do not ask for confirmation')
    .option('--erased <file>', 'after a restore: the newest file of `guests receipts`; these guests are erased again')
    .addOption(
      new Option('--none-erased', 'after a restore: no guests were erased since the backup').conflicts('erased'),
    )
    .action((options: ResumeOptions) => runResume(terminal, options))
}

type ResumeOptions = { yes?: true; erased?: string; noneErased?: true }

async function runResume(terminal: Terminal, options: ResumeOptions): Promise<void> {
  const all = options.erased === undefined ? undefined : await readReceipts(terminal, options.erased)
  const receipts = all?.receipts
  await withDatabase(terminal, async (db, config) => {
    const ctx = { db, keyring: config.encryptionKeys }
    const hold = await findHold(db)
    if (!hold && receipts) await eraseAgain(terminal, ctx, receipts)
    if (!hold) return void terminal.stderr.write('The service is not held. There is nothing to do.\n')
    if (all) await requireNewer(db, all, hold)
    const work = await findHeldWork(db, hold.since)
    print(terminal, { heldSince: hold.since, backupTakenAt: hold.backupTakenAt, ...work })
    terminal.stderr.write(`${describe(hold, work).join('\n')}\n`)
    if (hold.reason === 'restored' && !receipts) await requireNoneErased(terminal, hold, options)
    if (!options.yes) await confirm(terminal, 'End the hold?')
    if (receipts) await eraseAgain(terminal, ctx, receipts)
    if (!(await resume(db, commandActor(), hold.since, work)))
      throw new CommandRefused(
        'This hold had already ended, so nothing was changed. If the service is held again, run `voucher-service resume` again.',
      )
    const requeued = await withQueue(config, (queue) => requeueOverdue({ db, queue }, 0))
    terminal.stderr.write(
      `The hold has ended. The workers continue within seconds. Deliveries that were queued again: ${requeued}.\n`,
    )
  })
}

async function readReceipts(terminal: Terminal, file: string): Promise<AllReceipts> {
  return readReceiptLines(await readText(terminal, file, maxReceiptsMiB))
}

/**
 * Receipts from before the backup say nothing about the guests who were erased since. A file is newer than the restored data if it was
 * written later, or if it has an erasure that the data lacks: the time of the data may be given too late. Nothing can show that nobody
 * was erased since an older file, so a person must say that.
 */
async function requireNewer(
  db: Database,
  { receipts, at }: AllReceipts,
  { backupTakenAt, since }: Hold,
): Promise<void> {
  const ids = receipts.map(({ id }) => id)
  const lacking = await countErasuresWithout(db, ids, backupTakenAt ?? since)
  if (lacking > 0)
    throw new CommandRefused(
      `The restored data has receipts that the file lacks: ${lacking}. So the file is older than the backup, or belongs to another installation. Nothing was changed. Use the newest file of receipts. If you have no newer one, see “If the receipts are lost” in docs/backups.md.`,
    )
  if (!backupTakenAt || at >= backupTakenAt || (await findsUnknownErasure(db, ids))) return
  throw new CommandRefused(
    `The receipts are from ${at.toISOString()}, and the restored data goes up to ${backupTakenAt.toISOString()} and has all of them. So the file cannot show who was erased since then. Nothing was changed. If you have a newer file, use that one. If this is the newest file, and you write it after each erasure, nobody was erased since: run \`voucher-service resume --none-erased\`. Otherwise see “If the receipts are lost” in docs/backups.md.`,
  )
}

/** A restored record has guests again who were erased after the backup, and no trace of the erasure. So a person must confirm that there is none. */
async function requireNoneErased(terminal: Terminal, { backupTakenAt }: Hold, options: ResumeOptions): Promise<void> {
  terminal.stderr.write(
    `The restored data goes up to ${backupTakenAt?.toISOString()}. Guests who were erased after that have their names again.\n`,
  )
  if (options.noneErased) return
  if (options.yes)
    throw new CommandRefused(
      'Nothing was done. Use --erased <file> with the receipts that you keep beside the backups, or --none-erased if no guest was erased since.',
    )
  await confirm(
    terminal,
    'Continue without receipts? Answer yes only if no guest was erased since then. Otherwise answer no, and use --erased <file> with the receipts that you keep beside the backups.',
  )
}

async function eraseAgain(terminal: Terminal, ctx: EraseContext, receipts: Receipt[]): Promise<void> {
  const { unknown, erased, waiting } = await applyReceipts(ctx, commandActor(), receipts)
  terminal.stderr.write(
    `Receipts of erasures: ${receipts.length}. New to the restored data: ${unknown}. Entries erased again: ${erased}. Erased after their end: ${waiting}.\n`,
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
    `- Vouchers that the service will withdraw: ${dueWithdrawals} (because the stay has ended: ${endedStays}).`,
    `- Batches that will continue: ${openBatches} (vouchers still to create: ${rowsToMake}). If a batch was completed after the backup, cancel it before you end the hold.`,
    `- Creations that the service will look up, because their outcome is unknown: ${unsettledCreations}.`,
    `- Notifications that the service will send: ${pendingDeliveries}. Receivers may get some a second time, with the same webhook-id.`,
  ]
}

const notRepaired =
  'Not repaired: a client that repeats a request from the time after the backup gets a second voucher. Changes of that time to stays, keys, sites and settings are lost. See docs/backups.md.'
