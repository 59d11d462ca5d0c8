import type { Queryable } from '#db/database.ts'
import { decrypt, encrypt, type Keyring } from '#lib/cipher.ts'
import {
  type EncryptedColumn,
  listEncryptedColumns,
  listEncryptedValues,
  updateEncryptedValue,
} from './secrets.queries.ts'

const batchSize = 200

/**
 * Encrypts all values again that are not encrypted with the current key. Each value is its own statement, so this can run
 * while the service runs, and it can be interrupted and started again.
 */
export async function rotateSecrets(db: Queryable, keyring: Keyring): Promise<{ rotated: number }> {
  let rotated = 0
  for (const column of await listEncryptedColumns(db)) rotated += await rotateColumn(db, keyring, column)
  return { rotated }
}

async function rotateColumn(db: Queryable, keyring: Keyring, column: EncryptedColumn): Promise<number> {
  let rotated = 0
  let afterRow: string | undefined
  for (;;) {
    const values = await listEncryptedValues(db, column, { notUnderKey: keyring.currentId, afterRow, limit: batchSize })
    for (const { row, value } of values) {
      const place = { ...column, row }
      const to = encrypt(keyring, place, decrypt(keyring, place, value))
      if (await updateEncryptedValue(db, column, { row, from: value, to })) rotated += 1
    }
    afterRow = values.at(-1)?.row
    if (afterRow === undefined) return rotated
  }
}
