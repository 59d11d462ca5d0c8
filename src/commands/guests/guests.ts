import { appendFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Command, Option } from 'commander'
import type { Database } from '#db/database.ts'
import { isInRecovery } from '#db/primary.queries.ts'
import { eraseGuests } from '#domain/guests/erase-guests.ts'
import { type ErasureReason, erasureReasons, listReceipts, type Receipt } from '#domain/guests/erasures.queries.ts'
import { exportGuests, findRemaining, findStored, searchGuests } from '#domain/guests/report-guests.ts'
import type { StoredPlace } from '#domain/guests/stored-guests.queries.ts'
import { findHold } from '#domain/hold.queries.ts'
import { maxSiteId } from '#domain/sites/sites.queries.ts'
import { guestDataFile } from '#http/guests/guest-data-file.ts'
import { visibleText } from '#lib/visible-text.ts'
import { withDatabase, withKeyring } from '../connections.ts'
import { pastTime, wholeNumber } from '../terminal/arguments.ts'
import { print } from '../terminal/output.ts'
import { confirm } from '../terminal/prompts.ts'
import { readText } from '../terminal/read-input.ts'
import { CommandRefused } from '../terminal/refusals.ts'
import { replaceFile } from '../terminal/replace-file.ts'
import { commandActor, type Terminal } from '../terminal/terminal.ts'
import { toLastLine, toReceiptLine } from './receipt-lines.ts'

const receiptsPerPage = 500

type GuestOptions = { site: number; name: string }
type EraseOptions = GuestOptions & { reason: ErasureReason; afterEnd?: true; yes?: true }

export function registerGuests(guests: Command, terminal: Terminal): void {
  guests
    .command('show')
    .description('find guests, and say where something about them is stored and until when')
    .argument(
      '<name-or-reference>',
      'the beginning of a word of the name, or the whole reference; - reads it from standard input',
    )
    .action((text: string) => show(terminal, text))

  withGuest(guests.command('export'))
    .description('write everything that is stored about a guest to a ZIP file')
    .requiredOption('--to <file>', 'the file to write; it must not exist')
    .action((options: GuestOptions & { to: string }) => exportGuest(terminal, options))

  withGuest(guests.command('erase'))
    .description('erase the name and the references of a guest everywhere, and print the receipt')
    .addOption(
      new Option(
        '--reason <reason>',
        'why the guest is erased; a text of your own is not possible, because it could contain the name',
      )
        .choices(erasureReasons)
        .makeOptionMandatory(),
    )
    .option(
      '--after-end',
      'erase vouchers that still work after their end; without it, such a voucher prevents the erasure',
    )
    .option('--yes', 'do not ask for confirmation')
    .action((options: EraseOptions) => erase(terminal, options))

  guests
    .command('receipts')
    .description('print the receipts of erasures as JSON lines, oldest first; keep them beside the backups')
    .option('--to <file>', 'write them to this file instead; it is replaced when the new one is complete')
    .addOption(
      new Option('--since <time>', 'only receipts since this time, e.g. 2h, 3d or 2026-11-14T08:00Z; not for `resume`')
        .argParser(pastTime)
        .conflicts('to'),
    )
    .action((options: { since?: Date; to?: string }) => receipts(terminal, options))
}

function withGuest(command: Command): Command {
  return command
    .requiredOption('--site <id>', 'the number of the site', wholeNumber(1, maxSiteId))
    .requiredOption('--name <name>', 'the name as `guests show` prints it; - reads it from standard input')
}

/** Reads a name from standard input for `-`, because other users of the machine can see the arguments of a command. */
async function readName(terminal: Terminal, name: string): Promise<string> {
  const given = name === '-' ? (await readText(terminal, '-', 1)).replace(/\r?\n$/, '') : name
  if (given.trim() === '') throw new CommandRefused('The name is empty. Enter the name of a guest.')
  return given
}

async function show(terminal: Terminal, text: string): Promise<void> {
  const name = await readName(terminal, text)
  await withDatabase(terminal, async (db) => {
    const { guests, hasMore } = await searchGuests({ db, read: (work) => work(db) }, commandActor(), name)
    const stored = await Promise.all(guests.map(async (guest) => ({ guest, ...(await findStored(db, [guest])) })))
    print(
      terminal,
      stored.map(({ guest: { siteId, site, lastAt, ...guest }, places }) => ({
        ...{ site: siteId, siteName: visibleText(site), name: visibleText(guest.name) },
        ...{
          reference: guest.reference && visibleText(guest.reference),
          vouchers: guest.vouchers,
          valid: guest.valid,
          lastAt,
        },
        stored: terminal.json ? places : places.map(inWords).join('; '),
      })),
    )
    if (hasMore) terminal.stderr.write('There are more guests like these. Enter more of the name.\n')
  })
}

function inWords({ place, webhook, entries, until }: StoredPlace): string {
  const where = webhook === null ? place : `${place} (${visibleText(webhook)})`
  return `${where} ${entries}${until ? ` until ${until.toISOString().slice(0, 10)}` : ''}`
}

async function exportGuest(terminal: Terminal, { site, name, to }: GuestOptions & { to: string }): Promise<void> {
  const guests = [{ siteId: site, name: await readName(terminal, name) }]
  await withKeyring(terminal, async (db, { encryptionKeys: keyring }) => {
    const data = await exportGuests({ db, keyring, read: (work) => work(db) }, commandActor(), guests)
    await writeFile(to, guestDataFile(guests, data, new Date()), { flag: 'wx', mode: 0o600 }).catch((error) => {
      throw new CommandRefused(whyNotWritten(to, error.code))
    })
    terminal.stderr.write(`Written: ${to}. Only you can read the file. Delete it when the guest has it.\n`)
  })
}

function whyNotWritten(file: string, code: string): string {
  if (code === 'EEXIST') return `The file ${file} exists already. Choose another name.`
  if (code === 'ENOENT') return `The folder ${dirname(file)} does not exist. Create it, or choose another path.`
  return `The file ${file} cannot be written (${code}). Choose another path.`
}

async function erase(terminal: Terminal, { site, name, reason, afterEnd, yes }: EraseOptions): Promise<void> {
  const guests = [{ siteId: site, name: await readName(terminal, name) }]
  if (name === '-' && !yes)
    throw new CommandRefused(
      'The name comes from standard input, so the command cannot ask for confirmation. Add --yes.',
    )
  await withKeyring(terminal, async (db, config) => {
    const { places, valid } = await findStored(db, guests)
    terminal.stderr.write(
      `Stored: ${places.map(inWords).join('; ') || 'nothing'}. Vouchers that still work: ${valid}.\n`,
    )
    if (!yes) await confirm(terminal, 'Erase the name and the references? Nobody can bring them back.')
    const ctx = { db, keyring: config.encryptionKeys }
    const erasure = await eraseGuests(ctx, commandActor(), { guests, reason, valid: afterEnd ? 'after_end' : 'refuse' })
    const remains = await findRemaining(db, guests, erasure.id)
    const { by, ...receipt } = erasure
    print(terminal, { ...receipt, by: by.name, remains: terminal.json ? remains : remains.map(inWords).join('; ') })
  })
}

/**
 * A restored record lacks the receipts since the backup until `resume` gets them. Its receipts would replace the file that has them, so
 * none are written until then. Before the hold, the restored server is in recovery.
 */
async function receipts(terminal: Terminal, { since, to }: { since?: Date; to?: string }): Promise<void> {
  await withDatabase(terminal, async (db) => {
    if (await isInRecovery(db))
      throw new CommandRefused(
        'The database is in recovery: it is a standby, or a restored server whose data is not accepted yet. It may lack the newest receipts, so nothing was written. Use the primary server. After a restore, run `voucher-service resume --erased <file>` first, with the newest file of receipts.',
      )
    if ((await findHold(db))?.reason === 'restored')
      throw new CommandRefused(
        'The service is held after a restore, and the restored data lacks the receipts since the backup. Nothing was written. Run `voucher-service resume --erased <file>` first, with the newest file of receipts.',
      )
    if (to === undefined) return void (await writeReceipts(db, since, (text) => terminal.stdout.write(text)))
    const count = await replaceFile(to, { overwrites: true }, (temporary) =>
      writeReceipts(db, undefined, (text) => appendFile(temporary, text)),
    )
    terminal.stderr.write(`Written: ${to}. Receipts: ${count}.\n`)
  })
}

/** Writes page by page, so that the memory does not grow with the number of receipts. Returns the number of receipts. */
async function writeReceipts(db: Database, since: Date | undefined, write: (text: string) => unknown): Promise<number> {
  const at = new Date()
  let count = 0
  for (let last: Receipt | undefined; ; ) {
    const page = await listReceipts(db, { since, last, limit: receiptsPerPage })
    await write(page.map((receipt) => `${toReceiptLine(receipt)}\n`).join(''))
    last = page.at(-1)
    count += page.length
    if (page.length < receiptsPerPage) break
  }
  await write(`${toLastLine({ count, at, since: since ?? null })}\n`)
  return count
}
