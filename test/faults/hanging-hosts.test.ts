import { expect, test } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { runWithHangingHosts } from './hanging-hosts.ts'

const run = isLong ? { webhooksPerSite: 20, events: 90, kills: 4 } : { webhooksPerSite: 6, events: 12, kills: 1 }

test('a host that hangs delays no event of a healthy receiver, even while workers are killed', {
  timeout: 900_000,
}, async () => {
  expect(await runWithHangingHosts(run)).toEqual([])
})
