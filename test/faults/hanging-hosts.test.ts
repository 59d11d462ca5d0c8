import { expect, test } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { runWithHangingHosts } from './hanging-hosts.ts'

/** In CI, `test/isolation/hanging-host.test.ts` tests this without kills. */
test.runIf(isLong)(
  'a host that hangs delays no event of a healthy receiver, even while workers are killed',
  {
    timeout: 900_000,
  },
  async () => {
    expect(await runWithHangingHosts({ webhooksPerSite: 20, events: 90, kills: 4 })).toEqual([])
  },
)
