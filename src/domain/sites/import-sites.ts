import type { Database, Queryable } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import { inPieces } from '#lib/pieces.ts'
import { type Actor, requireAllSites } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { type DriverForms, storeController } from '../controllers/add-controller.ts'
import { toCredentials } from '../controllers/controller-credentials.ts'
import { type ControllerPlace, listControllersByName } from '../controllers/controllers.queries.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { siteAdded } from './add-site.ts'
import { type GuestInfoChange, readChange, storeGuestInfo } from './guest-info.ts'
import {
  type ControllerCells,
  checkRecordedController,
  inColumn,
  problemInRow,
  readNewController,
} from './row-controllers.ts'
import { insertSites, listRecordedSites, lockImports, type NewSite, type RecordedSite } from './sites.queries.ts'

/** A site in an imported file; `line` is its line there. */
export type SiteRow = {
  line: number
  name: string
  controller: string
  controllerSite: string
  active: boolean
  adoptsVouchers: boolean
  /** Describes the controller, which is added if it is not recorded yet. */
  controllerCells?: ControllerCells | undefined
  /** The API key or password of a controller that is not recorded yet. A dry run does not need it. */
  controllerSecret?: string | undefined
  /** Texts of the slips. Only a new site gets them. */
  guestInfo?: GuestInfoChange | undefined
  wifiPasswordFile?: string | undefined
}

/** The result for one row. Only `added` changed anything. */
export type RowOutcome = {
  line: number
  name: string
  outcome: 'added' | 'exists' | 'refused'
  problem: DomainError | null
  /** True if the controller of the row is new too. */
  addsController?: boolean
}

export type ImportContext = { db: Database; keyring: Keyring; drivers: DriverForms }

const rowsPerTransaction = 500

/**
 * Adds every site that can be added, and its controller if that is new, whatever is wrong with the other rows. Calls no
 * controller. An import that was interrupted can be run again: the sites that it added are then reported as existing. A dry run
 * reports the same and writes nothing. `importAllSites` adds all rows or none.
 */
export async function importSites(
  { db, ...ctx }: ImportContext,
  actor: Actor,
  rows: SiteRow[],
  options: { dryRun: boolean },
): Promise<RowOutcome[]> {
  requireAllSites(actor)
  const { valid, refused } = checkRows(rows)
  const outcomes = [...refused]
  for (const piece of inPieces(valid, rowsPerTransaction))
    outcomes.push(...(await db.transaction((tx) => importPiece(tx, ctx, actor, piece, options))))
  return outcomes.toSorted((a, b) => a.line - b.line)
}

/** Adds all sites of the rows in one transaction. If one of them cannot be added, none is. */
export async function importAllSites(
  { db, ...ctx }: ImportContext,
  actor: Actor,
  rows: SiteRow[],
): Promise<RowOutcome[]> {
  requireAllSites(actor)
  return db.transaction(async (tx) => {
    const { valid, refused } = checkRows(rows)
    const outcomes = [...refused]
    for (const piece of inPieces(valid, rowsPerTransaction))
      outcomes.push(...(await importPiece(tx, ctx, actor, piece, { dryRun: false })))
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
    const problem = findTextProblem(row) ?? findGuestInfoProblem(row)
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

/** The columns of what is printed on slips, and the fields that they become. */
const guestInfoColumns = {
  wifi_name: 'wifiName',
  wifi_password_file: 'wifiPassword',
  time_zone: 'timeZone',
  guest_languages: 'guestLanguages',
  room_days: 'roomDays',
} as const

function findGuestInfoProblem({ guestInfo = {} }: SiteRow): DomainError | undefined {
  for (const [column, field] of Object.entries(guestInfoColumns)) {
    try {
      inColumn(column, () => readChange({ [field]: guestInfo[field] }))
    } catch (error) {
      if (error instanceof DomainError) return error
      throw error
    }
  }
  return undefined
}

export function refuseRow({ line, name }: SiteRow, problem: DomainError): RowOutcome {
  return { line, name, outcome: 'refused', problem }
}

type Placement = { id: string; isNew: boolean } | { isNew: true; id: undefined } | { problem: DomainError }

/** Imports one transaction's rows. Only new controllers and facts for slips need statements of their own. */
async function importPiece(
  tx: Queryable,
  ctx: Omit<ImportContext, 'db'>,
  actor: Actor,
  rows: SiteRow[],
  { dryRun }: { dryRun: boolean },
): Promise<RowOutcome[]> {
  if (!dryRun) await lockImports(tx)
  const placements = await placeControllers(tx, ctx, actor, rows, { dryRun })
  const placementOf = ({ controller }: SiteRow) => placements.get(controller) as Placement
  const placed = rows.flatMap((row) => {
    const placement = placementOf(row)
    return 'problem' in placement || placement.id === undefined ? [] : [{ ...row, controllerId: placement.id }]
  })
  const added = dryRun ? new Set() : await addSites(tx, ctx, actor, placed)
  const recorded = new Map((await listRecordedSites(tx, placed)).map((site) => [placeOf(site), site]))

  return rows.map((row) => {
    const { line, name, controller, controllerSite } = row
    const placement = placementOf(row)
    if ('problem' in placement) return refuseRow(row, problemInRow(placement.problem, row))
    const { id: controllerId, isNew } = placement
    const site = controllerId === undefined ? undefined : recorded.get(placeOf({ controllerId, controllerSite }))
    if (!site || added.has(site.id)) return { line, name, outcome: 'added', problem: null, addsController: isNew }
    if (site.name === name) return { line, name, outcome: 'exists', problem: null }
    const details = { controller, controllerSite, name: site.name, id: site.id }
    return refuseRow(row, new DomainError('site_recorded_under_other_name', { details }))
  })
}

/** Finds the controllers of the rows, and adds those that are new. A dry run adds none, so they have no id. */
async function placeControllers(
  tx: Queryable,
  ctx: Omit<ImportContext, 'db'>,
  actor: Actor,
  rows: SiteRow[],
  { dryRun }: { dryRun: boolean },
): Promise<Map<string, Placement>> {
  const byName = Map.groupBy(rows, ({ controller }) => controller)
  const recorded = new Map((await listControllersByName(tx, [...byName.keys()])).map((found) => [found.name, found]))
  const placements = new Map<string, Placement>()
  for (const [name, [row]] of byName)
    placements.set(
      name,
      await placeController(tx, ctx, actor, row as SiteRow, { recorded: recorded.get(name), dryRun }),
    )
  return placements
}

async function placeController(
  tx: Queryable,
  ctx: Omit<ImportContext, 'db'>,
  actor: Actor,
  { controller, controllerCells: cells = {}, controllerSecret: secret }: SiteRow,
  { recorded, dryRun }: { recorded: ControllerPlace | undefined; dryRun: boolean },
): Promise<Placement> {
  try {
    if (recorded) {
      checkRecordedController(ctx.drivers, cells, recorded)
      return { id: recorded.id, isNew: false }
    }
    if (Object.keys(cells).length === 0 || (secret === undefined && !dryRun))
      throw new DomainError('controller_not_found', { details: { name: controller } })
    const { username, ...described } = readNewController(ctx.drivers, controller, cells)
    if (dryRun || secret === undefined) return { id: undefined, isNew: true }
    const credentials = toCredentials(username, secret)
    return { id: (await storeController(tx, ctx, actor, { ...described, credentials })).id, isNew: true }
  } catch (error) {
    if (error instanceof DomainError) return { problem: error }
    throw error
  }
}

/** Returns the ids of the sites that were not recorded before. */
async function addSites(
  tx: Queryable,
  { keyring }: { keyring: Keyring },
  actor: Actor,
  rows: (SiteRow & NewSite)[],
): Promise<Set<number>> {
  const added = await insertSites(tx, rows)
  const byPlace = new Map(rows.map((row) => [placeOf(row), row]))
  const rowOf = (site: RecordedSite) => byPlace.get(placeOf(site)) as SiteRow
  await recordAudit(tx, actor, ...added.map((site) => siteAdded({ ...site, controller: rowOf(site).controller })))
  for (const site of added) {
    const { guestInfo } = rowOf(site)
    if (guestInfo) await storeGuestInfo(tx, keyring, actor, { siteId: site.id, ...guestInfo })
  }
  return new Set(added.map(({ id }) => id))
}

function placeOf({ controllerId, controllerSite }: Pick<RecordedSite, 'controllerId' | 'controllerSite'>): string {
  return `${controllerId} ${controllerSite}`
}
