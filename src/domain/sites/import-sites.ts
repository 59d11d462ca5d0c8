import type { Database } from '#db/database.ts'
import { checkRows } from './check-rows.ts'
import { importPiece } from './import-piece.ts'
import type { RowOutcome, SiteRow } from './site-row.ts'

const rowsPerTransaction = 500

/**
 * Adds every site that can be added, whatever is wrong with others. Piece by piece, so it may be killed and run again:
 * what was added then exists.
 */
export async function importSites(db: Database, rows: SiteRow[], options: { dryRun: boolean }): Promise<RowOutcome[]> {
  const { sound, refused } = checkRows(rows)
  const outcomes = [...refused]
  for (let start = 0; start < sound.length; start += rowsPerTransaction) {
    const piece = sound.slice(start, start + rowsPerTransaction)
    outcomes.push(...(await db.transaction((tx) => importPiece(tx, piece, options))))
  }
  return outcomes.toSorted((a, b) => a.line - b.line)
}
