import { beforeEach, expect, test } from 'vitest'
import { encrypt, type Keyring } from '#lib/cipher.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedController } from '#test/data/seed.ts'
import { checkKeyring, examineSecrets } from './check-keyring.ts'

const db = await createTestDatabase()
const keyringOf = (...ids: [string, ...string[]]): Keyring => ({
  currentId: ids[0],
  keys: new Map(ids.map((id) => [id, Buffer.alloc(32, id)])),
})

/** Adds a controller with this name, whose secret is encrypted with this key for its own row or for another one. */
async function addSecret(name: string, keyId: string, row?: string): Promise<void> {
  const id = await seedController(db)
  const place = { table: 'controllers', column: 'secret', row: row ?? id }
  await db.query('update controllers set name = $2, secret = $3 where id = $1', [
    id,
    name,
    encrypt(keyringOf(keyId), place, 'hunter2'),
  ])
}

beforeEach(() => db.query('delete from controllers'))

test('a keyring with all keys in use is accepted', async () => {
  await addSecret('Lobby', 'old')
  await addSecret('Spa', 'new')

  await checkKeyring(db, keyringOf('new', 'old'))

  expect(await examineSecrets(db, keyringOf('new', 'old'))).toEqual({ total: 2, underOldKeys: 1, undecryptable: [] })
})

test('a keyring without a key in use is rejected, with the names of the rows', async () => {
  await addSecret('Lobby', 'old')
  await addSecret('Spa', 'new')

  await expect(checkKeyring(db, keyringOf('new'))).rejects.toThrow(
    /^\n {2}controllers "Lobby": Encryption key "old" is not configured$/,
  )
})

test('a value that was copied from another row is rejected', async () => {
  await addSecret('Lobby', 'new', 'another row')

  await expect(checkKeyring(db, keyringOf('new'))).rejects.toThrow('controllers "Lobby": controllers.secret of ')
})

test('at most ten rows are named', async () => {
  for (let i = 0; i < 12; i++) await addSecret(`Hotel ${String(i).padStart(2, '0')}`, 'old')

  const { message } = await checkKeyring(db, keyringOf('new')).then(
    () => new Error('nothing was rejected'),
    (error: Error) => error,
  )

  expect(message.split('\n').slice(-2)).toEqual([
    '  controllers "Hotel 09": Encryption key "old" is not configured',
    '  and 2 more',
  ])
})
