import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Queryable } from '#db/database.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey, seedSite } from '#test/data/seed.ts'
import { createAuthenticate, makeKey, toBase62 } from './key.ts'

const db = await createTestDatabase()

/** A database that holds back its answers until `release`. `reads` counts the statements, `most` those at the same time. */
function pausedDatabase() {
  const seen = { reads: 0, underWay: 0, most: 0 }
  const answered = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const paused: Queryable = {
    async query(text, values) {
      seen.reads += 1
      seen.underWay += 1
      seen.most = Math.max(seen.most, seen.underWay)
      const result = await db.query(text, values)
      answered.resolve()
      await release.promise
      seen.underWay -= 1
      return result as never
    },
  }
  return { paused, seen, firstAnswer: answered.promise, release: release.resolve }
}

test('a request that arrives during a read gets another one, so a key revoked meanwhile is rejected', async () => {
  const { id, key, prefix } = await seedKey(db)
  const { paused, firstAnswer, release } = pausedDatabase()
  const authenticate = createAuthenticate(paused)

  const before = authenticate(key, null)
  await firstAnswer
  await db.query('update api_keys set revoked_at = now() where id = $1', [id])
  const after = [authenticate(key, null), authenticate(key, null)]
  release()

  expect(await before).toMatchObject({ prefix, live: true })
  expect(await Promise.all(after)).toEqual([undefined, undefined])
})

test('500 requests during a read share the next one, and at most two reads are under way', async () => {
  const { key, prefix } = await seedKey(db)
  const { paused, seen, firstAnswer, release } = pausedDatabase()
  const authenticate = createAuthenticate(paused)

  const first = authenticate(key, null)
  await firstAnswer
  const others = Array.from({ length: 500 }, () => authenticate(key, null))
  await setImmediate() // a read starts after the requests of one moment were gathered
  release()
  const keys = await Promise.all([first, ...others])

  expect(keys.map((found) => found?.prefix)).toEqual(Array.from({ length: 501 }, () => prefix))
  expect(seen).toMatchObject({ reads: 2, most: 2 })
})

test('requests that share a read: each key is compared on its own, and the result cannot be changed', async () => {
  const { key, prefix } = await seedKey(db)
  const guess = prefix + makeKey().slice(prefix.length, -6)
  const guessed = guess + toBase62(crc32(guess), 6)
  const authenticate = createAuthenticate(db)

  const [good, wrong, again] = await Promise.all([key, guessed, key].map((text) => authenticate(text, null)))

  expect(good).toMatchObject({ prefix })
  expect(wrong).toBeUndefined()
  expect(again).toBe(good)
  expect(() => Object.assign(good as object, { scope: 'write' })).toThrow(TypeError)
})

test('requests for different sites can share a read, and each gets the right of its own site', async () => {
  const [mine, other] = [await seedSite(db), await seedSite(db)]
  const { key } = await seedKey(db, { siteIds: [mine] })
  const authenticate = createAuthenticate(db)

  const keys = await Promise.all([authenticate(key, mine), authenticate(key, other), authenticate(key, null)])

  expect(keys.map((found) => found?.mayUseSite)).toEqual([true, false, false])
})
