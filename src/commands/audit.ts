import { createReadStream } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Queryable } from '#db/database.ts'
import {
  type AuditPlace,
  findAuditHorizon,
  findAuditPlace,
  findHiddenWriter,
  listAuditsForward,
  type RecordedAudit,
} from '#domain/audit/audit.queries.ts'
import { chainLine, checkChain, firstHash, type Seal } from '#domain/audit/chain.ts'
import { withSnakeCase } from '#lib/snake-case.ts'
import { withDatabase } from './connections.ts'
import { pastTime, uuid } from './terminal/arguments.ts'
import { print } from './terminal/output.ts'
import { CommandRefused } from './terminal/refusals.ts'
import type { Terminal } from './terminal/terminal.ts'

const entriesPerPage = 1_000

type ExportOptions = { since?: Date; until?: Date; after?: string; chain?: true; continue?: string }

export function registerAudit(audit: Command, terminal: Terminal): void {
  audit
    .command('export')
    .description('print the audit as JSON lines, oldest entry first')
    .option('--since <time>', 'only entries since this time, e.g. 2h, 3d or 2026-11-14T08:00Z', pastTime)
    .option('--until <time>', 'only entries before this time', pastTime)
    .option('--after <id>', 'only entries after the one with this id, to continue an earlier export', uuid)
    .option('--chain', 'add a hash to each line, and a last line, so that `audit verify` finds every change')
    .addOption(
      new Option('--continue <file>', 'continue the chain of this file, with the entries after its last one').conflicts(
        ['after', 'since'],
      ),
    )
    .action((options: ExportOptions) => exportAudit(terminal, options))
  audit
    .command('verify')
    .description('check exports with --chain: finds changed, moved, missing and cut lines')
    .argument('<files...>', 'one export, or several that continue each other, the oldest first')
    .option('--hash <hash>', 'the hash that an earlier verification printed; it must be in the files', chainHash)
    .addHelpText('after', '\nExit codes: 0 no damage, 1 the check failed, 3 damage.')
    .action((files: string[], options: { hash?: string }) => verifyAudit(terminal, files, options))
}

/**
 * Prints page by page, so the memory does not grow with the audit. Leaves out the newest entries while earlier ones may still be
 * added: otherwise the next export with `--after` would miss those.
 */
async function exportAudit(terminal: Terminal, options: ExportOptions): Promise<void> {
  const { since, until, after, continue: file } = options
  const earlier = file === undefined ? undefined : await readEarlierExport(file)
  await withDatabase(terminal, async (db) => {
    const hidden = await findHiddenWriter(db)
    if (hidden !== null)
      throw new CommandRefused(
        `The service uses the database as the role "${hidden}", whose transactions this role may not see, so the export could miss entries. Run it with the DATABASE_URL of the service.`,
      )
    const horizon = await findAuditHorizon(db)
    const end = until && until < horizon ? until : horizon
    let last = earlier ? earlier.place : after === undefined ? undefined : await findPlace(db, after)
    const chain = options.chain || earlier ? startChain(earlier?.hash) : undefined
    while (true) {
      const page = await listAuditsForward(db, { since, until: end, last }, entriesPerPage)
      const lines = page.map((entry) => (chain ? chain.add(toLine(entry)) : JSON.stringify(toLine(entry))))
      terminal.stdout.write(lines.map((line) => `${line}\n`).join(''))
      if (page.length < entriesPerPage) break
      last = page.at(-1)
    }
    if (chain && (chain.count() > 0 || !earlier)) terminal.stdout.write(`${chain.end()}\n`)
  })
}

async function findPlace(db: Queryable, id: string): Promise<AuditPlace> {
  const place = await findAuditPlace(db, id)
  if (place) return place
  throw new CommandRefused(
    `The audit has no entry with the id ${id}. It may have been deleted (RETAIN_AUDIT_DAYS). Use --since with the time of that entry.`,
  )
}

/** The lines of one export. Its last line says which entries it has. */
function startChain(hash = firstHash) {
  const seal: Seal = { count: 0, first: null, last: null, last_at: null }
  const add = (content: object) => {
    const next = chainLine(content, hash)
    hash = next.hash
    return next.line
  }
  return {
    add(entry: { id: string; at: Date }) {
      seal.first ??= entry.id
      seal.last = entry.id
      seal.last_at = entry.at.toISOString()
      seal.count += 1
      return add(entry)
    },
    count: () => seal.count,
    end: () => add({ seal }),
  }
}

async function readEarlierExport(file: string): Promise<{ hash: string; place: AuditPlace | undefined }> {
  const { hash, seal, damage } = await checkChain(readFiles([file]))
  if (damage.length > 0 || !seal)
    throw new CommandRefused(
      `${file} cannot be continued. ${damage[0]} If an export was interrupted, remove the lines after line ${seal?.line ?? 0}; \`voucher-service audit verify\` shows all damage.`,
    )
  return { hash, place: seal.last && seal.last_at ? { id: seal.last, createdAt: new Date(seal.last_at) } : undefined }
}

/** The text of the files with one character for each byte, so that every byte is checked. */
async function* readFiles(files: string[]): AsyncGenerator<string> {
  for (const file of files)
    try {
      yield* createReadStream(file, 'latin1')
    } catch (error) {
      throw new CommandRefused(
        `${file} cannot be read: ${(error as Error).message}. Check the path and the mode of the file.`,
      )
    }
}

async function verifyAudit(terminal: Terminal, files: string[], { hash: known }: { hash?: string }): Promise<void> {
  const { hash, hasKnownHash, lines, entries, damage } = await checkChain(readFiles(files), known)
  const lost =
    known !== undefined && !hasKnownHash
      ? [
          `The hash ${known} is not in the files: they are not the ones that were verified then, or their end was cut off.`,
        ]
      : []
  const problems = [...damage, ...lost]
  print(terminal, { result: problems.length === 0 ? 'no damage' : 'damage', lines, entries, hash })
  for (const sentence of problems) terminal.stderr.write(`${sentence}\n`)
  if (problems.length > 0) terminal.exitCode = 3
}

function chainHash(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text
  throw new InvalidArgumentError('A hash has 64 digits and letters from a to f.')
}

/** An entry with the fields that API v2 gives it. */
function toLine(entry: RecordedAudit) {
  const { id, createdAt: at, actorKind, actorId, actorName, action, targetKind, targetId, targetName } = entry
  return {
    id,
    at,
    actor: { kind: actorKind, id: actorId, name: actorName },
    action,
    target: { kind: targetKind, id: targetId, name: targetName },
    address: entry.address,
    details: withSnakeCase(entry.details),
  }
}
