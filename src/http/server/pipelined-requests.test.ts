import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey } from '#test/data/seed.ts'
import { exchange } from '#test/network/sockets.ts'

const app = await startApp()

async function sendAtOnce(requests: number) {
  const { key } = await seedKey(app.db, { rateLimit: 1_000 })
  const request = `GET /api/sites.php HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`
  const { statuses } = await exchange(app.url, request.repeat(requests), 3_000)
  const { headers } = await app.call('/api/sites.php', { key })
  const left = Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1])
  return { statuses, counted: 1_000 - left - 1 }
}

test('16 requests that arrive at once on one connection are answered', async () => {
  const { statuses, counted } = await sendAtOnce(16)

  expect([statuses.length, new Set(statuses), counted]).toEqual([16, new Set([200]), 16])
})

test('a connection with more unanswered requests is ended, and the others are not carried out', async () => {
  const { statuses, counted } = await sendAtOnce(500)

  expect(statuses.length).toBeLessThanOrEqual(16)
  expect(counted).toBeLessThanOrEqual(16)
})
