import { expect, test } from 'vitest'
import { report } from '#test/measuring.ts'
import { program, spawnCommand } from '#test/service.ts'
import { buildRelease, lastRelease } from './build-release.ts'
import { upgradeUnderLoad } from './upgrade-under-load.ts'

test('the processes of the last release are replaced one by one, and no request or job is lost or doubled', async () => {
  const from = await buildRelease(lastRelease)
  const migrate = (url: string) => spawnCommand(url, ['migrate'])

  const { problems, requests, done } = await upgradeUnderLoad({ from, to: program, migrate, requestsPerStep: 25 })

  report('requests during a rolling upgrade', requests)
  expect(problems).toEqual([])
  for (const count of Object.values(done)) expect(count).toBeGreaterThan(1)
})
