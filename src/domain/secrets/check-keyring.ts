import type { Queryable } from '#db/database.ts'
import { DecryptionFailed, decrypt, type Keyring } from '#lib/cipher.ts'
import { listNamedValues, listSamplePerKey, listSecretColumns } from './secrets.queries.ts'

const maxNamed = 10

/**
 * Rejects a keyring that cannot decrypt the stored secrets, before anything fails because of it. Checks one value for each
 * key in use. Checks all values only to name those that cannot be decrypted.
 */
export async function checkKeyring(db: Queryable, keyring: Keyring): Promise<void> {
  for (const column of await listSecretColumns(db)) {
    for (const { row, value } of await listSamplePerKey(db, column)) {
      if (findProblem(keyring, { ...column, row }, value))
        throw new DecryptionFailed(await describeProblems(db, keyring))
    }
  }
}

async function describeProblems(db: Queryable, keyring: Keyring): Promise<string> {
  const { undecryptable: problems } = await examineSecrets(db, keyring)
  const more = problems.length > maxNamed ? [`and ${problems.length - maxNamed} more`] : []
  return [...problems.slice(0, maxNamed), ...more].map((line) => `\n  ${line}`).join('')
}

/** Tries to decrypt every stored secret. `undecryptable` says which rows and why, without their values. */
export async function examineSecrets(
  db: Queryable,
  keyring: Keyring,
): Promise<{ total: number; underOldKeys: number; undecryptable: string[] }> {
  const examined = { total: 0, underOldKeys: 0, undecryptable: [] as string[] }
  for (const column of await listSecretColumns(db)) {
    for (const { row, value, name } of await listNamedValues(db, column)) {
      const problem = findProblem(keyring, { ...column, row }, value)
      examined.total += 1
      if (value.split('.')[1] !== keyring.currentId) examined.underOldKeys += 1
      if (problem) examined.undecryptable.push(`${column.table} "${name}": ${problem}`)
    }
  }
  return examined
}

/** Undefined when the value can be decrypted. */
function findProblem(...value: Parameters<typeof decrypt>): string | undefined {
  try {
    decrypt(...value)
    return undefined
  } catch (error) {
    if (error instanceof DecryptionFailed) return error.message
    throw error
  }
}
