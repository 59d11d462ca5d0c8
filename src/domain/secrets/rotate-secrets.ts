import type { Queryable } from '#db/database.ts'
import { type Keyring, open, seal } from '#lib/cipher.ts'
import { listSealedColumns, listSealedValues, type SealedColumn, updateSealedValue } from './secrets.queries.ts'

const batchSize = 200

/**
 * Seals every value again that is not under the current key. Row by row, so it may run while others serve, be killed
 * and be started again: each value opens before and after.
 */
export async function rotateSecrets(db: Queryable, keyring: Keyring): Promise<{ rotated: number }> {
  let rotated = 0
  for (const column of await listSealedColumns(db)) rotated += await rotateColumn(db, keyring, column)
  return { rotated }
}

async function rotateColumn(db: Queryable, keyring: Keyring, column: SealedColumn): Promise<number> {
  let rotated = 0
  let afterRow: string | undefined
  for (;;) {
    const values = await listSealedValues(db, column, { notUnderKey: keyring.currentId, afterRow, limit: batchSize })
    for (const { row, value } of values) {
      const place = { ...column, row }
      const to = seal(keyring, place, open(keyring, place, value))
      if (await updateSealedValue(db, column, { row, from: value, to })) rotated += 1
    }
    afterRow = values.at(-1)?.row
    if (afterRow === undefined) return rotated
  }
}
