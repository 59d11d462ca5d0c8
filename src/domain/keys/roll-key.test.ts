import { expect, test } from 'vitest'
import type { NamedStatement } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { explainGeneric, nodesOf } from '#test/data/plans.ts'
import { seedKey, seedSite, testActor } from '#test/data/seed.ts'
import { revokeKey } from './administer-keys.ts'
import { createAuthenticate } from './key.ts'
import { findKey, findKeysWithListVersions } from './keys.queries.ts'
import { rollKey } from './roll-key.ts'

const db = await createTestDatabase()
const authenticate = createAuthenticate(db)
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
const roll = (id: string, oldValidUntil: Date | null, currentPrefix?: string) =>
  rollKey(db, testActor, { named: id, currentPrefix, oldValidUntil })
const works = async (...keys: string[]) =>
  Promise.all(keys.map(async (key) => (await authenticate(key, null)) !== undefined))
/** Moves the ends of the old secrets of a key into the past. */
const endGrace = (id: string) =>
  db.query(
    `update api_key_secrets set valid_until = now() - interval '1 second' where api_key_id = $1 and valid_until > now()`,
    [id],
  )

test('both secrets work until the end of the grace period, then only the new one; the key stays the same', async () => {
  const site = await seedSite(db)
  const { key: old, ...before } = await seedKey(db, { scope: 'write', rateLimit: 60, siteIds: [site] })
  const oldValidUntil = inDays(7)

  const { key, ...rolled } = await roll(before.id, oldValidUntil)

  expect(rolled).toEqual({
    ...before,
    prefix: key.slice(0, 12),
    oldSecrets: [{ prefix: before.prefix, validUntil: oldValidUntil, lastUsedAt: null }],
  })
  expect(await works(old, key)).toEqual([true, true])
  expect((await authenticate(old, site))?.id).toBe((await authenticate(key, site))?.id)
  await endGrace(before.id)
  expect(await works(old, key)).toEqual([false, true])
  expect((await findKey(db, before.id))?.oldSecrets).toEqual([])
})

test('without a grace period, the old secret ends at once', async () => {
  const { id, key: old } = await seedKey(db)

  const { key } = await roll(id, null)

  expect(await works(old, key)).toEqual([false, true])
})

test('a second roll within the grace period shortens it for all old secrets, and never extends it', async () => {
  const { id, key: first } = await seedKey(db)
  const [inTwo, inSeven] = [inDays(2), inDays(7)]

  const second = await roll(id, inTwo)
  const third = await roll(id, inSeven)

  expect(third.oldSecrets.map(({ prefix, validUntil }) => [prefix, validUntil])).toEqual([
    [second.prefix, inSeven],
    [first.slice(0, 12), inTwo],
  ])
  expect(await works(first, second.key, third.key)).toEqual([true, true, true])
  const fourth = await roll(id, null)
  expect(await works(first, second.key, third.key, fourth.key)).toEqual([false, false, false, true])
})

test('of two rolls at once that name the same prefix, one is rejected, and the secret of the other works', async () => {
  for (let i = 0; i < 10; i++) {
    const { id, prefix, key: old } = await seedKey(db)

    const results = await Promise.allSettled([roll(id, inDays(1), prefix), roll(id, null, prefix)])

    const [done] = results.filter((result) => result.status === 'fulfilled')
    const [rejected] = results.filter((result) => result.status === 'rejected')
    expect(rejected?.reason).toMatchObject({ code: 'key_rolled', details: { prefix: done?.value.prefix } })
    expect(await works(old, done?.value.key as string)).toEqual([done?.value.oldSecrets.length === 1, true])
  }
})

test('after a roll and a revocation at once, no secret works', async () => {
  for (let i = 0; i < 10; i++) {
    const { id, key: old } = await seedKey(db)

    const [rolled, revoked] = await Promise.allSettled([roll(id, inDays(1)), revokeKey(db, testActor, id)])

    expect(revoked.status).toBe('fulfilled')
    const texts = rolled.status === 'fulfilled' ? [old, rolled.value.key] : [old]
    expect(await works(...texts)).toEqual(texts.map(() => false))
    if (rolled.status === 'rejected') expect(rolled.reason).toMatchObject({ code: 'key_revoked' })
  }
})

test('a revoked key, an expired key and a grace period outside 30 days are rejected; nothing changes', async () => {
  const [revoked, expired, live] = [
    await seedKey(db),
    await seedKey(db, { expiresAt: new Date(Date.now() - 1000) }),
    await seedKey(db),
  ]
  await revokeKey(db, testActor, revoked.id)

  await expect(roll(revoked.id, null)).rejects.toMatchObject({ code: 'key_revoked' })
  await expect(roll(expired.id, null)).rejects.toMatchObject({ code: 'key_expired' })
  await expect(roll(live.id, inDays(31))).rejects.toMatchObject({ code: 'key_grace_too_long', details: { max: 30 } })
  await expect(roll(live.id, inDays(-1))).rejects.toMatchObject({ code: 'key_grace_passed' })
  await expect(roll(live.id, null, 'vsk_00000000')).rejects.toMatchObject({ code: 'key_rolled' })
  expect(await findKey(db, live.id)).toMatchObject({ prefix: live.prefix, oldSecrets: [] })
})

test('a key can be revoked by the prefix of an old secret; the audit has prefixes and no secret', async () => {
  const { id, prefix: oldPrefix, key: old } = await seedKey(db)
  const { key, prefix } = await roll(id, inDays(1))

  expect((await revokeKey(db, testActor, oldPrefix)).id).toBe(id)

  expect(await works(old, key)).toEqual([false, false])
  const { rows } = await db.query<{ details: object }>(`select details from audit where target_id = $1 order by id`, [
    id,
  ])
  expect(rows[1]?.details).toMatchObject({ oldPrefix, prefix })
  for (const secret of [old, key]) expect(JSON.stringify(rows)).not.toContain(secret.slice(12))
})

test('with 20,000 keys, a request looks up its key by primary keys; an unknown prefix needs the same lookups', async () => {
  await db.query(
    `with made as (
       insert into api_keys (id, name, scope, rate_limit) select gen_random_uuid(), 'k', 'read', 0
         from generate_series(1, 20000) returning id)
     insert into api_key_secrets (prefix, api_key_id, sha256) select 'key_' || substr(md5(id::text), 1, 8), id, sha256('x') from made
     on conflict do nothing`,
  )
  await db.query('analyze api_keys, api_key_secrets')
  const { prefix } = await seedKey(db)
  const lookups = async (asked: string) => {
    let plan: unknown
    const explaining = {
      async query(statement: NamedStatement, values: unknown[]) {
        plan = (await explainGeneric(db, statement, values)).Plan
        return db.query(statement, values)
      },
    }
    await findKeysWithListVersions(explaining as never, [{ prefix: asked, siteId: null }])
    return nodesOf(plan)
      .filter((node) => /Scan/.test(node['Node Type']) && node['Index Name'] !== 'site_versions_pkey')
      .map((node) => [node['Index Name'] ?? node['Node Type'], node['Actual Loops']])
      .filter(([name]) => /^api_key|Seq/.test(String(name)))
  }

  const known = await lookups(prefix)
  const unknown = await lookups('key_zzzzzzzz')

  expect(known).toEqual([
    ['api_key_secrets_pkey', 1],
    ['api_keys_pkey', 1],
    ['api_key_sites_pkey', 1],
  ])
  expect(unknown).toEqual(known)
})
