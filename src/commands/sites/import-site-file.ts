import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { DomainError } from '#domain/errors.ts'
import { importSites, type RowOutcome, type SiteRow } from '#domain/sites/import-sites.ts'
import { visibleText } from '#lib/visible-text.ts'
import { withDatabase, withKeyring } from '../connections.ts'
import { print } from '../terminal/output.ts'
import { readSecret, readText } from '../terminal/read-input.ts'
import { CommandRefused, describeRefusal } from '../terminal/refusals.ts'
import { commandActor, type Terminal } from '../terminal/terminal.ts'

const maxFileMiB = 16
const maxRows = 50_000

/** A row of the file and its outcome in words. */
type ReportedRow = Pick<RowOutcome, 'line' | 'name' | 'outcome'> & { column: string | null; reason: string | null }

/**
 * Imports sites, and the controllers that the file describes. A check comes first: the files with secrets are read only for
 * rows that will be added. So they may be deleted after the first import, and a second import still finds that everything exists.
 */
export async function importSiteFile(
  terminal: Terminal,
  file: string,
  { dryRun = false }: { dryRun?: boolean },
): Promise<void> {
  const { allColumns, parseSiteRows } = await import('#domain/sites/site-csv.ts')
  const { drivers } = await import('#drivers/registry.ts')
  const { rows, refused } = parseSiteRows(await readText(terminal, file, maxFileMiB), maxRows, allColumns)
  const connect = rows.some(namesSecret) ? withKeyring : withDatabase
  const { outcomes, unreadable } = await connect(terminal, async (db, { encryptionKeys: keyring }) => {
    const run = (some: SiteRow[], mode: { dryRun: boolean }) =>
      importSites({ db, keyring, drivers }, commandActor(), some, mode)
    const checked = await run(rows, { dryRun: true })
    const { ready, unreadable } = await readSecrets(terminal, folderOf(file), rows, checked)
    const others = checked.filter(({ outcome }) => outcome !== 'added')
    return { outcomes: [...others, ...(await run(ready, { dryRun }))], unreadable }
  })
  const reported = [...unreadable, ...[...refused, ...outcomes].map(toReported)].toSorted((a, b) => a.line - b.line)
  print(terminal, reported)
  const controllers = countControllers(rows, outcomes)
  terminal.stderr.write(`${summarize(reported, controllers)}${dryRun ? '; dry run: nothing was written' : ''}\n`)
  if (reported.some(({ outcome }) => outcome === 'refused')) terminal.exitCode = 1
}

function namesSecret({ controllerCells, wifiPasswordFile }: SiteRow): boolean {
  return controllerCells?.secret_file !== undefined || wifiPasswordFile !== undefined
}

/** Paths in the file start in its folder, or in the current folder if it comes from standard input. */
function folderOf(file: string): string {
  return file === '-' ? process.cwd() : dirname(resolve(file))
}

/** Reads the secrets of the rows that will be added. */
async function readSecrets(
  terminal: Terminal,
  folder: string,
  rows: SiteRow[],
  checked: RowOutcome[],
): Promise<{ ready: SiteRow[]; unreadable: ReportedRow[] }> {
  const byLine = new Map(checked.map((outcome) => [outcome.line, outcome]))
  const ready: SiteRow[] = []
  const unreadable: ReportedRow[] = []
  for (const row of rows) {
    const { outcome, addsController } = byLine.get(row.line) as RowOutcome
    if (outcome !== 'added') continue
    const { secret_file: cell } = row.controllerCells ?? {}
    let column = 'secret_file'
    try {
      const controllerSecret = cell && addsController ? await readNamedSecret(terminal, folder, cell.text) : undefined
      column = 'wifi_password_file'
      const path = row.wifiPasswordFile
      const wifiPassword = path && (await readNamedSecret(terminal, folder, path))
      ready.push({
        ...row,
        controllerSecret,
        guestInfo: wifiPassword ? { ...row.guestInfo, wifiPassword } : row.guestInfo,
      })
    } catch (error) {
      if (!(error instanceof CommandRefused)) throw error
      unreadable.push(toUnreadable(row, column, error.message))
    }
  }
  return { ready, unreadable }
}

/**
 * Reads a secret from the folder of the CSV file. Other files are rejected: a CSV file from somebody else could otherwise send
 * any file of this machine to an address of their choice.
 */
async function readNamedSecret(terminal: Terminal, folder: string, name: string): Promise<string> {
  const path = resolve(folder, name)
  const inFolder = relative(folder, path)
  if (inFolder === '' || inFolder.startsWith('..') || isAbsolute(inFolder))
    throw new CommandRefused(
      `The file ${name} is not in the folder of the CSV file. Move it to ${folder} and give its name there.`,
    )
  return readSecret(terminal, path)
}

/** A row whose secret cannot be read. A row that has no secret of its own refers to the line that names the file. */
function toUnreadable(row: SiteRow, column: string, reason: string): ReportedRow {
  const { line, name, controller } = row
  const describedIn = column === 'secret_file' ? (row.controllerCells?.secret_file?.line ?? line) : line
  if (describedIn === line)
    return { line, name: visibleText(name), outcome: 'refused', column, reason: visibleText(reason, 600) }
  const problem = new DomainError('controller_row_refused', { details: { controller, line: describedIn } })
  return toReported({ line, name, outcome: 'refused', problem })
}

/** The file may come from anywhere, so its text is made safe for the terminal. */
function toReported({ line, name, outcome, problem }: RowOutcome): ReportedRow {
  const reason = problem && [problem, ...problem.more].map(describeRefusal).join(' ')
  const column = problem?.details['column']
  return {
    line,
    name: visibleText(name),
    outcome,
    column: column === undefined ? null : String(column),
    reason: reason && visibleText(reason, 600),
  }
}

function countControllers(rows: SiteRow[], outcomes: RowOutcome[]): number | undefined {
  if (!rows.some(({ controllerCells }) => controllerCells)) return undefined
  const lines = new Set(outcomes.filter(({ addsController }) => addsController).map(({ line }) => line))
  return new Set(rows.filter(({ line }) => lines.has(line)).map(({ controller }) => controller)).size
}

/** Counts the rows of each outcome, and the new controllers if the file describes any. */
function summarize(rows: ReportedRow[], controllers: number | undefined): string {
  const counted = (['added', 'exists', 'refused'] as const)
    .map((wanted) => `${rows.filter(({ outcome }) => outcome === wanted).length} ${wanted}`)
    .join(', ')
  return controllers === undefined ? counted : `${counted}; new controllers: ${controllers}`
}
