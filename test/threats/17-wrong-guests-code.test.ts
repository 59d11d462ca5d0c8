import { Agent } from 'node:http'
import { expect, test } from 'vitest'
import { calendarToday } from '#test/calendar.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range, withClients } from '#test/load.ts'
import { report, size } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const db = await createTestDatabase()
const urls = (await Promise.all([startService(db.url), startService(db.url)])).map(({ url }) => url)
const { key } = await seedKey(db, { scope: 'write' })
const agent = new Agent({ keepAlive: true, maxSockets: 40 })

const creates = size(100, 500)

test.each(['console', 'self-hosted'])(
  `classic dialect on %s: ${creates} same-named creates get as many codes, and none of them is that of another administrator`,
  { timeout: 60_000 },
  async (flavour) => {
    const simulator = await startSimulator('--flavour', flavour)
    const site = await seedControlledSite(db, simulator, { driver: 'unifi-classic' })
    const answered: string[] = []
    const repeats = { none: 0 }
    const stop = new AbortController()
    const other = makeTheSame(simulator, stop.signal)

    await withClients(32, range(creates), async (i) => {
      for (;;) {
        const body = JSON.stringify({ site_id: site, name: 'Gast', max_uses: 1, expire_minutes: 60 })
        const url = `${urls[i % 2]}/api/vouchers.php`
        const answer = await call(url, { method: 'POST', headers: { 'x-api-key': key }, body, agent })
        if (answer.status === 201) return void answered.push(answer.json().code)
        expect([answer.status, answer.headers['voucher-outcome']]).toEqual([500, 'none'])
        repeats.none += 1
      }
    })
    stop.abort()
    const byOther = await other
    const onController = await simulator.vouchers()
    const oursThere = onController.filter(({ createdBy }) => createdBy === 'api').map(({ code }) => code)
    const { rows } = await db.query<{ code: string }>('select code from vouchers where site_id = $1', [site])
    const signIns = await simulator.signIns()
    report(`${flavour}: same-named creates, vouchers of the other administrator, repeats, sign-ins`, [
      answered.length,
      byOther,
      repeats.none,
      signIns.length,
    ])

    expect(new Set(onController.map(({ name }) => name)).size).toBe(1)
    expect(byOther).toBeGreaterThan(creates / 10)
    expect(new Set(answered).size).toBe(creates)
    expect(rows.map(({ code }) => code).toSorted()).toEqual(answered.toSorted())
    expect(oursThere.toSorted()).toEqual(answered.toSorted())
    expect(signIns.length).toBeLessThanOrEqual(2)
  },
)

/** Makes vouchers of the same name and limits, from another account, as fast as possible. */
async function makeTheSame(
  simulator: Awaited<ReturnType<typeof startSimulator>>,
  stopped: AbortSignal,
): Promise<number> {
  const name = `${calendarToday(Intl.DateTimeFormat().resolvedOptions().timeZone)()}_Gast`
  let made = 0
  for (; !stopped.aborted; made++) {
    await simulator.addVoucher({
      internalReference: 'default',
      name,
      timeLimitMinutes: 60,
      authorizedGuestLimit: 1,
      adminName: 'colleague',
    })
  }
  return made
}
