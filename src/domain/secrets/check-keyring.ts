import type { Queryable } from '#db/database.ts'
import { type Keyring, open, SealBroken } from '#lib/cipher.ts'
import { listNamedValues, listSamplePerKey, listSealedColumns } from './secrets.queries.ts'

const namedAtMost = 10

/**
 * Rejects a keyring that cannot decrypt the stored secrets, before anything fails because of it. Checks one value for each
 * key in use. Checks all values only to name those that cannot be decrypted.
 */
export async function checkKeyring(db: Queryable, keyring: Keyring): Promise<void> {
  for (const column of await listSealedColumns(db)) {
    for (const { row, value } of await listSamplePerKey(db, column)) {
      if (whyClosed(keyring, { ...column, row }, value)) throw new SealBroken(await describeClosed(db, keyring))
    }
  }
}

async function describeClosed(db: Queryable, keyring: Keyring): Promise<string> {
  const closed: string[] = []
  for (const column of await listSealedColumns(db)) {
    for (const { row, value, name } of await listNamedValues(db, column)) {
      const why = whyClosed(keyring, { ...column, row }, value)
      if (why) closed.push(`${column.table} "${name}": ${why}`)
    }
  }
  const more = closed.length > namedAtMost ? `\n  and ${closed.length - namedAtMost} more` : ''
  return (
    closed
      .slice(0, namedAtMost)
      .map((line) => `\n  ${line}`)
      .join('') + more
  )
}

function whyClosed(...value: Parameters<typeof open>): string | undefined {
  try {
    open(...value)
    return undefined
  } catch (error) {
    if (error instanceof SealBroken) return error.message
    throw error
  }
}
