import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { decrypt, encrypt, type Keyring } from '#lib/cipher.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedController } from '#test/data/seed.ts'
import { rotateSecrets } from './rotate-secrets.ts'
import { listEncryptedColumns, listKeysInUse } from './secrets.queries.ts'

const db = await createTestDatabase()
const keys = new Map([
  ['old', Buffer.alloc(32, 1)],
  ['new', Buffer.alloc(32, 2)],
])
const before: Keyring = { currentId: 'old', keys }
const after: Keyring = { currentId: 'new', keys }
const onlyNew: Keyring = { currentId: 'new', keys: new Map([['new', keys.get('new') as Buffer]]) }

const placeOf = (row: string, column = 'secret') => ({ table: 'controllers', column, row })

async function secretOf(row: string): Promise<string> {
  const { rows } = await db.query<{ secret: string }>('select secret from controllers where id = $1', [row])
  return rows[0]?.secret as string
}

test('every encrypted column is found', async () => {
  expect(await listEncryptedColumns(db)).toEqual(
    expect.arrayContaining([
      { table: 'controllers', column: 'secret' },
      { table: 'controllers', column: 'session' },
      { table: 'sites', column: 'wifi_password' },
      { table: 'webhooks', column: 'secret' },
      { table: 'webhooks', column: 'url' },
    ]),
  )
})

test('all secrets are encrypted again with the current key, in every column and in more than one piece', async () => {
  const ids = Array.from({ length: 401 }, () => uuidv7())
  const values = (column: string) => ids.map((id) => encrypt(before, placeOf(id, column), `${column} of ${id}`))
  await db.query(
    `insert into controllers (id, name, driver, address, secret, session)
     select id, id::text, 'unifi-classic', 'https://x', secret, session
       from unnest($1::uuid[], $2::text[], $3::text[]) as one (id, secret, session)`,
    [ids, values('secret'), values('session')],
  )

  expect(await rotateSecrets(db, after)).toEqual({ rotated: 802 })

  const { rows } = await db.query<{ id: string; secret: string; session: string }>(
    'select id, secret, session from controllers',
  )
  expect(rows).toHaveLength(401)
  for (const { id, secret, session } of rows)
    expect([decrypt(onlyNew, placeOf(id), secret), decrypt(onlyNew, placeOf(id, 'session'), session)]).toEqual([
      `secret of ${id}`,
      `session of ${id}`,
    ])
  expect(await listKeysInUse(db)).toEqual(['new'])
  expect(await rotateSecrets(db, after)).toEqual({ rotated: 0 })
})

test('a secret that is replaced during the rotation keeps its new value', async () => {
  const id = await seedController(db)
  const set = (text: string) =>
    db.query('update controllers set secret = $2 where id = $1', [id, encrypt(before, placeOf(id), text)])
  await set('first')
  const replacing: Queryable = {
    async query<Row extends object>(text: string, values?: unknown[]) {
      if (text.startsWith('update')) await set('replaced')
      return db.query<Row>(text, values)
    },
  }

  expect(await rotateSecrets(replacing, after)).toEqual({ rotated: 0 })

  expect(decrypt(before, placeOf(id), await secretOf(id))).toBe('replaced')
  expect(await rotateSecrets(db, after)).toEqual({ rotated: 1 })
  expect(decrypt(onlyNew, placeOf(id), await secretOf(id))).toBe('replaced')
})
