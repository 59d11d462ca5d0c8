import { expect, test } from 'vitest'
import { migrate } from '#db/migrate.ts'
import { laterMigrations } from '#test/data/later-migrations.ts'
import { report } from '#test/measuring.ts'
import { program, spawnCommand } from '#test/service.ts'
import { installRelease, lastRelease, runnableRelease } from '../build-release.ts'
import { upgradeUnderLoad } from '../upgrade-under-load.ts'

test('the installed archive of the last release is replaced under 5,000 requests', async () => {
  const from = await installRelease(lastRelease)
  const run = await upgradeUnderLoad({ from, to: program, migrate: migrateNow, requestsPerStep: 850 })

  report('requests during a rolling upgrade', run.requests)
  report('created vouchers, batches and revocations', Object.values(run.done))
  expect(run.problems).toEqual([])
  expect(run.requests).toBeGreaterThan(5_000)
}, 1_800_000)

test('a migration that removes a column which the last release reads is noticed', async () => {
  const from = await runnableRelease(lastRelease)
  const planted = laterMigrations('alter table vouchers rename column reference to booking;')
  const migrateTooFar = (url: string) => migrate(url, { folder: planted })

  const { problems } = await upgradeUnderLoad({ from, to: program, migrate: migrateTooFar, requestsPerStep: 25 })

  expect(problems.filter((problem) => /^POST .*: 500 /.test(problem)).length).toBeGreaterThan(0)
}, 600_000)

async function migrateNow(url: string): Promise<void> {
  expect(await spawnCommand(url, ['migrate'])).toMatchObject({ exitCode: 0 })
}
