import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { hasListener } from '#queue/jobs.queries.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { report } from '#test/measuring.ts'
import { startService } from '#test/service.ts'
import { startManyConsoles, untilOut } from '../many-consoles.ts'

/** The times that docs/operating.md states for 80 controllers. */
const promised = { noticedMs: 90_000, killedMs: 70_000, frozenMs: 80_000 }
const count = 80

const db = await createTestDatabase()
const consoles = await startManyConsoles(db, count)
const startWorker = () => startService(db.url, {}, 'worker')

/** Waits until probes that begin after `since` have reached every console, and returns when the first began. */
async function untilProbedSince(since: number): Promise<number> {
  const begun = () => consoles.requests.filter(({ at }) => at > since)
  await vi.waitFor(() => expect(begun().length).toBeGreaterThanOrEqual(count), { timeout: 180_000, interval: 100 })
  return begun()[0]?.at as number
}

/** The most probes of one console within 55 s. A single worker sends one. */
function mostProbesOfOne(since: number): number {
  const byHost = Object.values(
    Object.groupBy(
      consoles.requests.filter(({ at }) => at > since),
      ({ host }) => host,
    ),
  )
  const most = (times: number[]) =>
    Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 55_000).length))
  return Math.max(...byHost.map((requests) => most((requests ?? []).map(({ at }) => at))))
}

test('one of several workers probes idle controllers; another takes over when it is killed or frozen', async () => {
  const holder = await startWorker()
  await vi.waitFor(async () => expect(await hasListener(db)).toBe(true), { timeout: 30_000 })
  const second = await startWorker()
  const startedAt = performance.now()
  await untilProbedSince(startedAt)
  await untilProbedSince(performance.now())
  expect(mostProbesOfOne(startedAt)).toBe(1)

  const killedAt = performance.now()
  await holder.stop('SIGKILL')
  const afterKill = (await untilProbedSince(killedAt + 1_000)) - killedAt
  report('the worker that probes is killed: the next probe after s', afterKill / 1_000)
  expect(afterKill).toBeLessThan(promised.killedMs)

  const third = await startWorker()
  const frozenAt = performance.now()
  second.process.kill('SIGSTOP')
  const afterFreeze = (await untilProbedSince(frozenAt + 1_000)) - frozenAt
  report('the worker that probes is frozen: the next probe after s', afterFreeze / 1_000)
  expect(afterFreeze).toBeLessThan(promised.frozenMs)

  second.process.kill('SIGCONT')
  await pause(1_000)
  await untilProbedSince(performance.now())
  expect(mostProbesOfOne(frozenAt + 1_000)).toBe(1)

  const died = performance.now()
  consoles.silence(41)
  const noticedAfter = (await untilOut(db, consoles.ids[41] as string)) - died
  report('80 idle controllers: a dead one is noticed after s', noticedAfter / 1_000)
  expect(noticedAfter).toBeLessThan(promised.noticedMs)

  const { rows } = await db.query('select controller_id as id, reason from controller_outages')
  expect(rows).toEqual([{ id: consoles.ids[41], reason: 'no_answer' }])
  expect(new Set(consoles.requests.map(({ line, hasCredentials }) => `${line} ${hasCredentials}`))).toEqual(
    new Set(['GET / false']),
  )
  for (const worker of [second, third]) expect(worker.process.exitCode).toBeNull()
}, 1_200_000)
