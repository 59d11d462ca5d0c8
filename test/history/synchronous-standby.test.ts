import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { seedKey } from '#test/data/seed.ts'
import { isLong, report } from '#test/measuring.ts'
import { startService } from '#test/service.ts'
import { openDesks } from './desks.ts'
import { startPair } from './primary-and-standby.ts'
import { place, readPresent, readStanding, reconcile, startSites, syncAll, waitForQuiet } from './sites.ts'

test.runIf(isLong)(
  'a failover to a synchronous standby loses nothing, even after replication was interrupted',
  async () => {
    const pair = await startPair({ isSynchronous: true })
    const sites = await startSites(pair.primary, ['default', 'tagged'])
    const { key } = await seedKey(pair.primary, { name: 'Desks', scope: 'write' })
    const env = { SETTLE_SECONDS: '10' }
    const { url } = await startService(pair.databaseUrl, env, 'api')
    await startService(pair.databaseUrl, env, 'worker')
    const desks = openDesks({ url, key }, sites, 8)
    const untilDone = async (count: number) => {
      while (desks.done() < count) await pause(50)
    }

    await untilDone(100)
    pair.holdReplication()
    const acknowledgedBefore = desks.done()
    await pause(12_000)
    report('synchronous standby: acknowledged while it got nothing', desks.done() - acknowledgedBefore)
    await pair.failOver(2_000)
    await untilDone(desks.done() + 100)
    await desks.close()
    await waitForQuiet(pair.standby)
    await syncAll(pair.standby)

    const record = await readStanding(pair.standby)
    const acknowledged = desks.attempts.filter(({ code }) => code).map(place)
    expect(acknowledged.filter((each) => !record.has(each))).toEqual([])
    expect((await readPresent(sites)).map(place).filter((each) => !record.has(each))).toEqual([])
    expect(await reconcile(pair.databaseUrl)).toEqual([])
  },
)
