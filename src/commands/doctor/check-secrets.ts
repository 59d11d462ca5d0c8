import type { Queryable } from '#db/database.ts'
import { examineSecrets } from '#domain/secrets/check-keyring.ts'
import type { Keyring } from '#lib/cipher.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, problem } = findingsOf('secrets')

const maxNamed = 10

/** Decrypts every stored secret. The findings name the rows, never their values. */
export async function checkSecrets(db: Queryable, keyring: Keyring): Promise<Finding[]> {
  const { total, underOldKeys, undecryptable } = await examineSecrets(db, keyring)
  if (undecryptable.length > 0) {
    const more = undecryptable.length > maxNamed ? ` And ${undecryptable.length - maxNamed} more.` : ''
    return [
      problem(
        `Stored secrets that cannot be decrypted: ${undecryptable.length} of ${total}. ${undecryptable.slice(0, maxNamed).join('; ')}.${more}`,
        'Add the key that encrypted them to ENCRYPTION_KEYS; if it is lost, enter them again.',
      ),
    ]
  }
  if (underOldKeys > 0)
    return [
      warning(
        `Stored secrets that are encrypted with an old key: ${underOldKeys} of ${total}.`,
        'Run `voucher-service secrets rotate` before you remove that key from ENCRYPTION_KEYS.',
      ),
    ]
  return [ok(`ENCRYPTION_KEYS decrypts all stored secrets (${total}).`)]
}
