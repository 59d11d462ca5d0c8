import type { Command } from 'commander'
import { DomainError } from '#domain/errors.ts'
import { readImportedRows } from '#domain/moving-in/imported-rows.ts'
import { MoveRefused, type RowNote } from '#domain/moving-in/inventory.ts'
import { type Counts, type MoveResult, moveIn, type Pins } from '#domain/moving-in/move-in.ts'
import { placeSites } from '#domain/moving-in/place-sites.ts'
import { createReceiverAddresses } from '#domain/webhooks/receiver-url.ts'
import { createCalendar } from '#lib/clock.ts'
import { visibleText } from '#lib/visible-text.ts'
import { type Config, loadConfig } from '../../../config.ts'
import { withKeyring } from '../../connections.ts'
import { rejectOtherThanOwner } from '../../grant-service-role.ts'
import { print } from '../../terminal/output.ts'
import { readSecret, readText } from '../../terminal/read-input.ts'
import { CommandRefused, describeRefusal } from '../../terminal/refusals.ts'
import { commandActor, type Terminal } from '../../terminal/terminal.ts'
import { readAppKey } from './decrypt-password.ts'
import { describePins, readPins } from './pins.ts'
import { readSource, type Source } from './read-source.ts'
import { type Choices, type Reading, toInventory } from './to-inventory.ts'
import { type ClockCheck, checkClock, createWallClock, rejectWrongClock } from './wall-clock.ts'

type Options = {
  mysqlUrlFile: string
  appKeyFile?: string
  timeZone: string
  trustPins?: string
  sameSite: Map<number, number>
  leaveOut: Set<number>
  dryRun?: true
}

const maxPinsMiB = 4
const maxShownRows = 30

export function registerPhpTool(command: Command, terminal: Terminal): void {
  command
    .description('import sites, keys, people, templates and vouchers from the PHP tool; see docs/move-in.md')
    .requiredOption(
      '--mysql-url-file <file>',
      'file with the address of its database: mysql://user:password@host:3306/name',
    )
    .option('--app-key-file <file>', 'file with APP_KEY of its config.php, which decrypts the passwords of controllers')
    .option('--time-zone <zone>', 'time zone of PHP, as in its config.php', timeZone, 'Europe/Berlin')
    .option(
      '--trust-pins <file>',
      'lines with the address and the certificate of each controller that you have compared',
    )
    .option(
      '--same-site <id=id>',
      'the first site is the same as the second one, which stays; may be repeated',
      toPair,
      new Map(),
    )
    .option('--leave-out <id>', 'do not import this site and its vouchers; may be repeated', toId, new Set())
    .option('--dry-run', 'show what would be done, and write nothing')
    .action((options: Options) => importPhpTool(terminal, options))
}

async function importPhpTool(terminal: Terminal, options: Options): Promise<void> {
  const { trustPins, dryRun = false, timeZone: zone } = options
  const { databaseUrl } = loadConfig(terminal.env)
  await rejectOtherThanOwner(databaseUrl, 'import php-tool')
  const appKey = await readKey(terminal, options)
  const source = await readSource(await readSecret(terminal, options.mysqlUrlFile))
  const clock = createWallClock(zone)
  const clockCheck = checkClock(clock, source.vouchers)
  rejectWrongClock(clockCheck, zone)
  const { drivers } = await import('#drivers/registry.ts')
  await withKeyring(terminal, async (db, config) => {
    const tools = {
      ...{ drivers, clock, appKey, now: new Date() },
      receivers: createReceiverAddresses(config),
      today: createCalendar(config.timeZone),
    }
    await explainingRows(terminal, async () => {
      const reading = toInventory(source, choicesOf(options, source), tools)
      const { inventory } = reading
      const earlier = await readImportedRows(db, inventory.system)
      const { newControllers } = await placeSites(db, config.encryptionKeys, inventory, new Set(earlier.sites))
      const pins =
        trustPins === undefined ? undefined : readPins(await readText(terminal, trustPins, maxPinsMiB), newControllers)
      const isTrusted = pins !== undefined || newControllers.length === 0
      const ctx = { db, keyring: config.encryptionKeys, drivers }
      const mode = { pins: pins ?? (new Map() as Pins), dryRun: dryRun || !isTrusted }
      const result = await moveIn(ctx, commandActor(), inventory, mode)
      const pinsToConfirm = isTrusted ? [] : await describeNewPins(config, newControllers)
      report(terminal, source, reading, { result, pinsToConfirm, dryRun: mode.dryRun })
      if (source.unread.length > 0)
        terminal.stderr.write(
          `Not read, because this tool lacks them or its account may not read them: ${source.unread.join(', ')}.\n`,
        )
      terminal.stderr.write(describeClock(clockCheck, zone))
      if (!isTrusted) askForPins(terminal, pinsToConfirm, { dryRun })
      else if (dryRun) terminal.stderr.write('Dry run: nothing was written.\n')
      else terminal.stderr.write(nextSteps(result))
    })
  })
}

async function readKey(terminal: Terminal, { appKeyFile }: Options): Promise<Buffer | undefined> {
  if (appKeyFile === undefined) return undefined
  const key = readAppKey((await readSecret(terminal, appKeyFile)).trim())
  if (!key)
    throw new CommandRefused(
      'The file of --app-key-file does not have a key of 32 bytes in Base64. Copy the text between the quotation marks of APP_KEY in config.php.',
    )
  return key
}

/** Rejects choices about sites that the tool does not have. */
function choicesOf({ sameSite, leaveOut }: Options, { sites }: Source): Choices {
  const ids = new Set(sites.map(({ id }) => id))
  const unknown = [...sameSite.keys(), ...sameSite.values(), ...leaveOut].filter((id) => !ids.has(id))
  if (unknown.length > 0) throw new CommandRefused(`The tool has no site ${unknown.join(', ')}.`)
  return { sameSite, leftOut: leaveOut }
}

/** Names the rows because of which nothing was imported. */
async function explainingRows(terminal: Terminal, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof MoveRefused)) throw error
    for (const line of error.rows.map(toLine)) terminal.stderr.write(`${line}\n`)
    throw new CommandRefused(`${error.message} Nothing was imported.`)
  }
}

/** How many rows the tool has of each part. */
function sizesOf({ inventory, left }: Reading, source: Source): Record<keyof Counts, number> {
  const leftWebhook = left.some(({ table }) => table === 'settings')
  return {
    controllers: inventory.controllers.length,
    sites: source.sites.length,
    keys: source.keys.length,
    people: source.users.length,
    templates: source.templates.length,
    webhooks: inventory.webhook || leftWebhook ? 1 : 0,
    vouchers: source.vouchers.length,
  }
}

type Outcome = { result: MoveResult; pinsToConfirm: string[]; dryRun: boolean }

function report(
  terminal: Terminal,
  source: Source,
  reading: Reading,
  { result, pinsToConfirm, dryRun }: Outcome,
): void {
  const sizes = sizesOf(reading, source)
  const counts = Object.entries(result.counts).map(([part, { added, known }]) => {
    const inTool = sizes[part as keyof Counts]
    return { part, inTool, added, hereBefore: known, left: inTool - added - known }
  })
  const left = [...reading.left, ...result.left].map(toReported)
  const notes = [...reading.notes, ...result.notes].map(toReported)
  if (terminal.json) print(terminal, { counts, left, notes, dryRun, pinsToConfirm })
  else {
    print(terminal, counts)
    showRows(terminal, 'Not imported', left)
    showRows(terminal, 'To know', notes)
  }
}

type Reported = { table: string; id: number; reason: string }

function toReported({ table, id, reason }: RowNote): Reported {
  const text = reason instanceof DomainError ? describeRefusal(reason) : reason
  return { table, id, reason: visibleText(text, 600) }
}

const toLine = (note: RowNote) => lineOf(toReported(note))
const lineOf = ({ table, id, reason }: Reported) => `${table} ${id}: ${reason}`

function showRows(terminal: Terminal, title: string, rows: Reported[]): void {
  if (rows.length === 0) return
  const more = rows.length - maxShownRows
  const lines = rows.slice(0, maxShownRows).map((row) => `- ${lineOf(row)}`)
  if (more > 0) lines.push(`- and ${more} more: --json shows all`)
  terminal.stdout.write(`\n${title}:\n${lines.join('\n')}\n`)
}

function describeClock({ rows }: ClockCheck, zone: string): string {
  return rows === 0
    ? `The time zone of PHP, ${zone}, could not be checked, because no voucher has both times. Compare it with the tool's config.php.\n`
    : `The time zone of PHP, ${zone}, is right. Vouchers whose times were compared: ${rows}.\n`
}

async function describeNewPins(config: Config, controllers: Parameters<typeof describePins>[0]): Promise<string[]> {
  const { createControllerAddressPolicy } = await import('#drivers/controller-address-policy.ts')
  return describePins(controllers, createControllerAddressPolicy(config))
}

/** Without a file of pins, nothing is imported: the operator gets its lines. */
function askForPins(terminal: Terminal, lines: string[], { dryRun }: { dryRun: boolean }): void {
  terminal.stderr.write(
    `\nNothing was imported${dryRun ? ' (dry run)' : ''}. The controllers show these certificates. Compare each with the certificate that its own page shows, save the lines in a file, and use it with --trust-pins:\n${lines.join('\n')}\n`,
  )
  if (!dryRun) terminal.exitCode = 1
}

function nextSteps({ hold, counts }: MoveResult): string {
  if (hold === 'begins')
    return 'Imported. A trial has begun: the service reads the controllers, and changes nothing on them until `voucher-service resume`. See docs/move-in.md.\n'
  const isHeld = hold === 'goes on' ? ' The service is still held.' : ''
  if (Object.values(counts).every(({ added }) => added === 0))
    return `The tool has nothing new. No row was added.${isHeld}\n`
  return hold === 'goes on' ? `Imported.${isHeld}\n` : 'Imported. Everything new is in use at once.\n'
}

function timeZone(text: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    throw new CommandRefused(`"${text}" is not a time zone. Use a name such as Europe/Vienna.`)
  }
}

function toPair(text: string, pairs: Map<number, number>): Map<number, number> {
  const [, from, to] = /^(\d+)=(\d+)$/.exec(text) ?? []
  if (from === undefined || from === to)
    throw new CommandRefused(
      '--same-site needs two numbers of sites, such as 4=2: site 4 is the same as site 2, which stays.',
    )
  return new Map([...pairs, [Number(from), Number(to)]])
}

function toId(text: string, ids: Set<number>): Set<number> {
  if (!/^\d+$/.test(text)) throw new CommandRefused('--leave-out needs the number of a site.')
  return new Set([...ids, Number(text)])
}
