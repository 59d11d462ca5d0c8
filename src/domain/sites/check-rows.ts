import { CommandRefused } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { type RowOutcome, refuseRow, type SiteRow } from './site-row.ts'

/** Tells the rows that can be asked for from those that are wrong in themselves or repeat an earlier line. */
export function checkRows(rows: SiteRow[]): { sound: SiteRow[]; refused: RowOutcome[] } {
  const sound: SiteRow[] = []
  const refused: RowOutcome[] = []
  const firstLine = new Map<string, number>()
  for (const row of rows) {
    const problem = problemOf(row)
    const place = JSON.stringify([row.controller, row.controllerSite])
    const earlier = firstLine.get(place)
    if (problem) refused.push(refuseRow(row, problem))
    else if (earlier !== undefined) {
      const reason = `"${row.controllerSite}" on ${row.controller} stands twice in this file (line ${earlier}).`
      refused.push(refuseRow(row, reason))
    } else {
      firstLine.set(place, row.line)
      sound.push(row)
    }
  }
  return { sound, refused }
}

/** Each of the three is text for people and for the controller: one line, nothing invisible. */
function problemOf({ name, controller, controllerSite }: SiteRow): string | undefined {
  for (const [column, text] of Object.entries({ name, controller, controller_site: controllerSite })) {
    if (text === '') return `The column ${column} is empty.`
    try {
      plainName(text)
    } catch (error) {
      if (error instanceof CommandRefused) return `The column ${column}: ${error.message}`
      throw error
    }
  }
  return undefined
}
