import type { Queryable } from '#db/database.ts'
import { recordAudits } from '../audit/record-audit.ts'
import { listControllerIds } from '../controllers/controllers.queries.ts'
import {
  insertSites,
  listRecordedSites,
  lockImports,
  type PlacedRow,
  type RecordedSite,
} from './import-sites.queries.ts'
import { siteAdded } from './site-added.ts'
import { type RowOutcome, refuseRow, type SiteRow } from './site-row.ts'

/** A handful of statements, however many rows. A dry run tells the same and writes nothing. */
export async function importPiece(
  tx: Queryable,
  rows: SiteRow[],
  { dryRun }: { dryRun: boolean },
): Promise<RowOutcome[]> {
  const controllerIds = await listControllerIds(tx, [...new Set(rows.map(({ controller }) => controller))])
  const placed = rows.flatMap((row) => {
    const controllerId = controllerIds.get(row.controller)
    return controllerId === undefined ? [] : [{ ...row, controllerId }]
  })
  const added = dryRun ? new Set() : await addSites(tx, placed)
  const recorded = new Map((await listRecordedSites(tx, placed)).map((site) => [placeOf(site), site]))

  return rows.map((row) => {
    const controllerId = controllerIds.get(row.controller)
    if (controllerId === undefined) return refuseRow(row, `No controller is called "${row.controller}".`)
    const site = recorded.get(placeOf({ ...row, controllerId }))
    const { line, name } = row
    if (!site || added.has(site.id)) return { line, name, outcome: 'added', reason: null }
    if (site.name === name) return { line, name, outcome: 'exists', reason: null }
    const reason = `"${row.controllerSite}" on ${row.controller} is recorded already as "${site.name}" (site ${site.id}).`
    return refuseRow(row, reason)
  })
}

/** The ids of those that are new. */
async function addSites(tx: Queryable, rows: PlacedRow[]): Promise<Set<number>> {
  await lockImports(tx)
  const added = await insertSites(tx, rows)
  const controllers = new Map(rows.map(({ controllerId, controller }) => [controllerId, controller]))
  await recordAudits(
    tx,
    added.map((site) => siteAdded({ ...site, controller: controllers.get(site.controllerId) as string })),
  )
  return new Set(added.map(({ id }) => id))
}

function placeOf({ controllerId, controllerSite }: Pick<RecordedSite, 'controllerId' | 'controllerSite'>): string {
  return `${controllerId} ${controllerSite}`
}
