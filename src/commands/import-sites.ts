import type { Command } from 'commander'
import { importSites } from '#domain/sites/import-sites.ts'
import type { RowOutcome } from '#domain/sites/site-row.ts'
import { print } from './output.ts'
import { readText } from './read-text.ts'
import { parseSiteRows } from './site-rows.ts'
import { visibleText } from './visible-text.ts'
import { withDatabase } from './with-database.ts'

const maxMiB = 16
const maxRows = 50_000

export function registerImportSites(sites: Command): void {
  sites
    .command('import')
    .description('record the sites of a CSV file with the columns name,controller,controller_site and active,adopt')
    .argument('<file>', '- reads standard input; may be imported again, what is recorded already stays as it is')
    .option('--dry-run', 'tell what would be done, and write nothing')
    .action(async (file: string, { dryRun = false }: { dryRun?: boolean }, command: Command) => {
      const { rows, refused } = parseSiteRows(await readText(file, maxMiB), maxRows)
      const imported = await withDatabase((db) => importSites(db, rows, { dryRun }))
      const outcomes = [...refused, ...imported].toSorted((a, b) => a.line - b.line)
      print(command, outcomes.map(shown))
      process.stderr.write(`${summary(outcomes)}${dryRun ? '; dry run: nothing was written' : ''}\n`)
      if (outcomes.some(({ outcome }) => outcome === 'refused')) process.exitCode = 1
    })
}

/** The file may come from anywhere. */
function shown({ line, name, outcome, reason }: RowOutcome): RowOutcome {
  return { line, name: visibleText(name), outcome, reason: reason && visibleText(reason, 600) }
}

function summary(outcomes: RowOutcome[]): string {
  return (['added', 'exists', 'refused'] as const)
    .map((wanted) => `${outcomes.filter(({ outcome }) => outcome === wanted).length} ${wanted}`)
    .join(', ')
}
