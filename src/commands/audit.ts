import type { Command } from 'commander'
import {
  type AuditPlace,
  findAuditHorizon,
  findAuditPlace,
  listAuditsForward,
  type RecordedAudit,
} from '#domain/audit/audit.queries.ts'
import { withSnakeCase } from '#lib/snake-case.ts'
import { withDatabase } from './connections.ts'
import { pastTime, uuid } from './terminal/arguments.ts'
import { CommandRefused } from './terminal/refusals.ts'
import type { Terminal } from './terminal/terminal.ts'

const entriesPerPage = 1_000

type ExportOptions = { since?: Date; until?: Date; after?: string }

export function registerAudit(audit: Command, terminal: Terminal): void {
  audit
    .command('export')
    .description('print the audit as JSON lines, oldest entry first')
    .option('--since <time>', 'only entries since this time, e.g. 2h, 3d or 2026-11-14T08:00Z', pastTime)
    .option('--until <time>', 'only entries before this time', pastTime)
    .option('--after <id>', 'only entries after the one with this id, to continue an earlier export', uuid)
    .action((options: ExportOptions) => exportAudit(terminal, options))
}

/**
 * Prints page by page, so the memory does not grow with the audit. Leaves out the newest entries while earlier ones may still be
 * added: otherwise the next export with `--after` would miss those.
 */
async function exportAudit(terminal: Terminal, { since, until, after }: ExportOptions): Promise<void> {
  await withDatabase(terminal, async (db) => {
    const horizon = await findAuditHorizon(db)
    const end = until && until < horizon ? until : horizon
    let last: AuditPlace | undefined = after === undefined ? undefined : await findAuditPlace(db, after)
    if (after !== undefined && !last)
      throw new CommandRefused(
        `The audit has no entry with the id ${after}. It may have been deleted (RETAIN_AUDIT_DAYS). Use --since with the time of that entry.`,
      )
    while (true) {
      const page = await listAuditsForward(db, { since, until: end, last }, entriesPerPage)
      terminal.stdout.write(page.map((entry) => `${JSON.stringify(toLine(entry))}\n`).join(''))
      if (page.length < entriesPerPage) return
      last = page.at(-1)
    }
  })
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
