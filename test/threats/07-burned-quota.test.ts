import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { makeKey, toBase62 } from '#domain/keys/key.ts'
import { startApp } from '#test/app.ts'
import { seedKey } from '#test/data/seed.ts'
import { size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'

const app = await startApp()

const guesses = size(400, 10_000)

test(`${guesses} bad keys with a victim's prefix leave the victim's quota as it was`, async () => {
  const { key, prefix } = await seedKey(app.db, { rateLimit: 100_000 })
  const left = async () => /r=(\d+)/.exec(String((await app.call('/api/sites.php', { key })).headers.ratelimit))?.[1]
  const forged = () => {
    const body = prefix + makeKey().slice(12, -6)
    return body + toBase62(crc32(body), 6)
  }
  expect(await left()).toBe('99999')

  const statuses = new Set<number>()
  for (let i = 0; i < guesses; i += 100) {
    const batch = Array.from({ length: 100 }, () =>
      call(`${app.url}/api/sites.php`, { headers: { 'x-api-key': forged() } }),
    )
    for (const { status } of await Promise.all(batch)) statuses.add(status)
  }

  expect(statuses).toEqual(new Set([401]))
  expect(await left()).toBe('99998')
})
