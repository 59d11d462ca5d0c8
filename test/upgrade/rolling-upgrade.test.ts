import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { startTestWorker } from '#test/app.ts'
import { seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { report } from '#test/measuring.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { program, spawnCommand, startService } from '#test/service.ts'
import { lastRelease, runnableRelease } from './build-release.ts'
import { upgradeUnderLoad } from './upgrade-under-load.ts'

const from = await runnableRelease(lastRelease)

test('the processes of the last release are replaced one by one, and no request or job is lost or doubled', async () => {
  const migrate = (url: string) => spawnCommand(url, ['migrate'])

  const { problems, requests, done } = await upgradeUnderLoad({ from, to: program, migrate, requestsPerStep: 25 })

  report('requests during a rolling upgrade', requests)
  expect(problems).toEqual([])
  for (const count of Object.values(done)) expect(count).toBeGreaterThan(1)
})

test('an old worker adds no second job for a delivery that a new worker is sending', async () => {
  const { db, notify } = await startTestWorker()
  const sink = await startWebhookSink()
  sink.answerWith('hang')
  const request = { name: 'hook', format: 'generic', url: sink.url, siteIds: undefined }
  await addWebhook({ db, keyring: testKeyring }, testActor, request)
  await notify({ id: await seedSite(db), name: 'Haus' })
  await expect.poll(() => sink.received.length).toBe(1)
  await db.query(`update deliveries set next_attempt_at = now() - interval '2 minutes'`)
  const countJobs = async () => (await db.query(`select from pgboss.job where name like 'attempt%'`)).rowCount

  const old = await startService(db.url, {}, 'worker', from) // its first sweep adds jobs for overdue deliveries
  await pause(3_000)

  expect(await countJobs()).toBe(1)
  expect(await old.stop()).toBe(0)
})
