import type { Queryable } from '#db/database.ts'
import { insertSetting, listSettings } from '../settings/settings.queries.ts'

/**
 * The rows that earlier imports from a system added, by their numbers in that system. So a row that was changed or removed here does
 * not come back with the next import. Contains no names and no secrets.
 */
export type ImportedRows = {
  sites: number[]
  /** The people, by their rows. */
  people: Record<string, string>
  templates: number[]
  webhook: boolean
  /** The key that stands for the system as a maker; null if none was needed. */
  makerKeyId: string | null
  /** By the site in the other system: the last row, of those that were older than a day. Newer rows may still be written there. */
  lastVouchers: Record<string, number>
}

const settingOf = (system: string) => `moved_in/${system}`

export async function readImportedRows(tx: Queryable, system: string): Promise<ImportedRows> {
  const stored = (await listSettings(tx, [settingOf(system)])).get(settingOf(system))?.value as ImportedRows | undefined
  return stored ?? { sites: [], people: {}, templates: [], webhook: false, makerKeyId: null, lastVouchers: {} }
}

export async function storeImportedRows(tx: Queryable, system: string, rows: ImportedRows): Promise<void> {
  await insertSetting(tx, settingOf(system), rows)
}
