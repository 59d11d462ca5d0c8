import { expect, test } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'
import { receiveWebhooks } from './receive-webhooks.ts'

test('the failing receiver accepts one notification in twelve hours, so that its webhook is never disabled', async () => {
  let hours = 0
  const { failingUrl, workingUrl, stop } = await receiveWebhooks({ now: () => hours * 3_600_000 })
  onFileEnd(stop)
  const statuses: number[] = []
  for (hours of [0, 11, 12, 12, 23, 24]) statuses.push((await fetch(failingUrl, { method: 'POST' })).status)

  expect(statuses).toEqual([503, 503, 204, 503, 503, 204])
  expect((await fetch(workingUrl, { method: 'POST' })).status).toBe(204)
})
