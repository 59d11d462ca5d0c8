import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { isLong, median, percentile, report, timeLimit } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const { url } = await startService(db.url)
const { key } = await seedKey(db, { scope: 'write' })
const agent = new Agent({ keepAlive: true, maxSockets: 100 })
const healthy = await startSimulator()
const sick = await startSimulator()
/** Nine controllers that stay healthy. The tenth one, of `sickSite`, will hang. */
const sites = await Promise.all(range(9).map(() => seedControlledSite(db, healthy)))
const sickSite = await seedControlledSite(db, sick)

type Timed = { status: number; outcome: string | undefined; ms: number; endedAt: number }

async function create(site: number): Promise<Timed> {
  const startedAt = Date.now()
  const body = JSON.stringify({ site_id: site, name: 'Gast' })
  const answer = await call(`${url}/api/vouchers.php`, { method: 'POST', headers: { 'x-api-key': key }, body, agent })
  const outcome = answer.headers['voucher-outcome'] as string | undefined
  return { status: answer.status, outcome, ms: Date.now() - startedAt, endedAt: Date.now() }
}

/** Sends `perSecond` creates to each site for `seconds`. A slow answer does not delay the next request. */
async function load(onSites: number[], perSecond: number, seconds: number): Promise<Timed[]> {
  const running: Promise<Timed>[] = []
  for (let i = 0; i < perSecond * seconds; i++) {
    for (const site of onSites) {
      running.push(create(site))
      await pause(1_000 / perSecond / onSites.length)
    }
  }
  return Promise.all(running)
}

async function waitUntilWell(): Promise<void> {
  await sick.behave({ hang: false })
  for (let answer = await create(sickSite); answer.status !== 201; answer = await create(sickSite)) await pause(500)
}

test('requests to a hung controller fail within 10.5 s, later ones within 3.5 s, and they succeed when it works again', async () => {
  await create(sickSite)
  await sick.behave({ hang: true })
  const first = await Promise.all(range(20).map(() => create(sickSite)))
  first.push(await create(sickSite)) // four at once waited for an answer; a read comes before this one
  const afterwards = []
  for (const _ of range(20)) afterwards.push(await create(sickSite))
  report('answers of a hung controller in ms: slowest, slowest afterwards', [
    Math.max(...first.map(({ ms }) => ms)),
    Math.max(...afterwards.map(({ ms }) => ms)),
  ])
  const startedAt = Date.now()
  await waitUntilWell()
  report('hung controller heals, voucher made after ms', Date.now() - startedAt)

  expect(first.map(({ status }) => status)).toEqual(range(21).map(() => 500))
  expect(Math.max(...first.map(({ ms }) => ms))).toBeLessThan(timeLimit(10_500))
  expect(first.filter(({ outcome }) => outcome === 'unknown').length).toBe(4)
  expect(afterwards.map(({ status, outcome }) => [status, outcome])).toEqual(range(20).map(() => [500, 'none']))
  expect(Math.max(...afterwards.map(({ ms }) => ms))).toBeLessThan(timeLimit(3_500))
})

const rounds = 5
const seconds = 20

test.runIf(isLong)(
  `when one of ten controllers hangs, the other nine are as fast as before, in ${rounds} rounds`,
  {
    timeout: 600_000,
  },
  async () => {
    const ratios: number[] = []
    const figures: number[][] = []
    await load(sites, 5, 3)
    for (const _ of range(rounds)) {
      await waitUntilWell()
      const [well] = await Promise.all([load(sites, 5, seconds), load([sickSite], 5, seconds)])
      await sick.behave({ hang: true })
      const [beside, hung] = await Promise.all([load(sites, 5, seconds), load([sickSite], 5, seconds)])
      const p99 = [well, beside].map((answers) =>
        percentile(
          answers.map(({ ms }) => ms),
          99,
        ),
      ) as [number, number]
      ratios.push(p99[1] / p99[0])
      figures.push(p99)
      expect([...well, ...beside].filter(({ status }) => status !== 201)).toEqual([])
      expect(hung.filter(({ status }) => status !== 500)).toEqual([])
      expect(Math.max(...hung.map(({ ms }) => ms))).toBeLessThan(timeLimit(10_500))
    }
    report(
      'p99 of nine controllers in ms, all well / one hung, per round',
      figures.map((p99) => p99.join('/')).join(' '),
    )
    report('ratio of p99, median', median(ratios))

    expect(median(ratios)).toBeLessThanOrEqual(1.2)
    await waitUntilWell()
  },
)
