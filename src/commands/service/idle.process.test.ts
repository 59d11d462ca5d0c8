import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { isLong, report } from '#test/measuring.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()

test('an idle service as in the image needs at most 150 MB of memory', async () => {
  const [options] = /(?<=NODE_OPTIONS=)\S+/.exec(await readFile('Dockerfile', 'utf8')) ?? []
  const begin = performance.now()
  const service = await startService(db.url, { NODE_OPTIONS: options as string }, 'start')
  const readyAfterMs = performance.now() - begin
  await pause(5_000)

  const status = await readFile(`/proc/${service.process.pid}/status`, 'utf8')
  const megabytes = (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024) / 1e6
  report('idle memory of `start` in MB, ms until it is ready', [Math.round(megabytes), Math.round(readyAfterMs)])
  expect(megabytes).toBeLessThan(150)
  if (isLong) expect(readyAfterMs).toBeLessThan(2_000) // in CI, other tests need the processors at the same time
})
