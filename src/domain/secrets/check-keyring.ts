import type { Queryable } from '#db/database.ts'
import { type Keyring, open } from '#lib/cipher.ts'
import { listSamplePerKey, listSealedColumns } from './secrets.queries.ts'

/** Refuses a keyring that does not open what is stored: better at the start than at the first voucher. */
export async function checkKeyring(db: Queryable, keyring: Keyring): Promise<void> {
  for (const column of await listSealedColumns(db)) {
    for (const { row, value } of await listSamplePerKey(db, column)) open(keyring, { ...column, row }, value)
  }
}
