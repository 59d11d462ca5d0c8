import type { Database, Queryable } from '#db/database.ts'
import { inPieces } from '#lib/pieces.ts'
import { type Actor, requireAllSites } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { listControllerIds } from '../controllers/controllers.queries.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { siteAdded } from './add-site.ts'
import { insertSites, listRecordedSites, lockImports, type NewSite, type RecordedSite } from './sites.queries.ts'

/** A site in an imported file; `line` is its line there. */
export type SiteRow = {
  line: number
  name: string
  controller: string
  controllerSite: string
  active: boolean
  adoptsVouchers: boolean
}

/** The result for one row. Only `added` changed anything. */
export type RowOutcome = {
  line: number
  name: string
  outcome: 'added' | 'exists' | 'refused'
  problem: DomainError | null
}

const rowsPerTransaction = 500

/**
 * Adds every site that can be added, whatever is wrong with the other rows. An import that was interrupted can be run
 * again: the sites that it added are then reported as existing. A dry run reports the same and writes nothing.
 * `importAllSites` adds all rows or none.
 */
export async function importSites(
  db: Database,
  actor: Actor,
  rows: SiteRow[],
  options: { dryRun: boolean },
): Promise<RowOutcome[]> {
  requireAllSites(actor)
  const { valid, refused } = checkRows(rows)
  const outcomes = [...refused]
  for (const piece of inPieces(valid, rowsPerTransaction))
    outcomes.push(...(await db.transaction((tx) => importPiece(tx, actor, piece, options))))
  return outcomes.toSorted((a, b) => a.line - b.line)
}

/** Adds all sites of the rows in one transaction. If one of them cannot be added, none is. */
export async function importAllSites(db: Database, actor: Actor, rows: SiteRow[]): Promise<RowOutcome[]> {
  requireAllSites(actor)
  return db.transaction(async (tx) => {
    const { valid, refused } = checkRows(rows)
    const outcomes = [...refused]
    for (const piece of inPieces(valid, rowsPerTransaction))
      outcomes.push(...(await importPiece(tx, actor, piece, { dryRun: false })))
    rejectIfAnyRefused(outcomes)
    return outcomes.toSorted((a, b) => a.line - b.line)
  })
}

export function rejectIfAnyRefused(outcomes: RowOutcome[]): void {
  const count = outcomes.filter(({ outcome }) => outcome === 'refused').length
  if (count > 0) throw new DomainError('import_refused', { details: { count } })
}

/** Separates the valid rows from rows with invalid text and rows that repeat an earlier line. */
function checkRows(rows: SiteRow[]): { valid: SiteRow[]; refused: RowOutcome[] } {
  const valid: SiteRow[] = []
  const refused: RowOutcome[] = []
  const firstLine = new Map<string, number>()
  for (const row of rows) {
    const { controller, controllerSite } = row
    const problem = findTextProblem(row)
    const place = JSON.stringify([controller, controllerSite])
    const earlier = firstLine.get(place)
    if (problem) refused.push(refuseRow(row, problem))
    else if (earlier !== undefined) {
      const details = { controller, controllerSite, line: earlier }
      refused.push(refuseRow(row, new DomainError('row_repeated', { details })))
    } else {
      firstLine.set(place, row.line)
      valid.push(row)
    }
  }
  return { valid, refused }
}

/** Each of the three columns must be one line of visible text. */
function findTextProblem({ name, controller, controllerSite }: SiteRow): DomainError | undefined {
  for (const [column, text] of Object.entries({ name, controller, controller_site: controllerSite })) {
    if (text === '') return new DomainError('column_empty', { details: { column } })
    try {
      plainName(text)
    } catch (error) {
      if (error instanceof DomainError)
        return new DomainError('column_invalid', { details: { column, max: error.details['max'] ?? 0 } })
      throw error
    }
  }
  return undefined
}

function refuseRow({ line, name }: SiteRow, problem: DomainError): RowOutcome {
  return { line, name, outcome: 'refused', problem }
}

/** Imports one transaction's rows. The number of statements does not depend on the number of rows. */
async function importPiece(
  tx: Queryable,
  actor: Actor,
  rows: SiteRow[],
  { dryRun }: { dryRun: boolean },
): Promise<RowOutcome[]> {
  const controllerIds = await listControllerIds(tx, [...new Set(rows.map(({ controller }) => controller))])
  const placed = rows.flatMap((row) => {
    const controllerId = controllerIds.get(row.controller)
    return controllerId === undefined ? [] : [{ ...row, controllerId }]
  })
  const added = dryRun ? new Set() : await addSites(tx, actor, placed)
  const recorded = new Map((await listRecordedSites(tx, placed)).map((site) => [placeOf(site), site]))

  return rows.map((row) => {
    const { line, name, controller, controllerSite } = row
    const controllerId = controllerIds.get(controller)
    if (controllerId === undefined)
      return refuseRow(row, new DomainError('controller_not_found', { details: { name: controller } }))
    const site = recorded.get(placeOf({ controllerId, controllerSite }))
    if (!site || added.has(site.id)) return { line, name, outcome: 'added', problem: null }
    if (site.name === name) return { line, name, outcome: 'exists', problem: null }
    const details = { controller, controllerSite, name: site.name, id: site.id }
    return refuseRow(row, new DomainError('site_recorded_under_other_name', { details }))
  })
}

/** Returns the ids of the sites that were not recorded before. */
async function addSites(tx: Queryable, actor: Actor, rows: (NewSite & { controller: string })[]): Promise<Set<number>> {
  await lockImports(tx)
  const added = await insertSites(tx, rows)
  const controllers = new Map(rows.map(({ controllerId, controller }) => [controllerId, controller]))
  await recordAudit(
    tx,
    actor,
    ...added.map((site) => siteAdded({ ...site, controller: controllers.get(site.controllerId) as string })),
  )
  return new Set(added.map(({ id }) => id))
}

function placeOf({ controllerId, controllerSite }: Pick<RecordedSite, 'controllerId' | 'controllerSite'>): string {
  return `${controllerId} ${controllerSite}`
}
