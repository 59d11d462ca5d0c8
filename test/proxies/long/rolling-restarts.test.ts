import { expect, test } from 'vitest'
import { report } from '#test/measuring.ts'
import { restartUnderLoad } from '../restart-under-load.ts'
import { startCaddy, startNginx } from '../start-proxy.ts'

const least = { requests: 5_000, restarts: 10 }

test.each([
  ['nginx', startNginx],
  ['Caddy', startCaddy],
] as const)(
  '%s with the file in deploy: no request fails while two apis are restarted in turn',
  async (name, start) => {
    const { requests, restarts, created, failures } = await restartUnderLoad(start, least)
    report(`${name}: requests, restarts, vouchers, failures`, [requests, restarts, created, failures.length])

    expect(failures).toEqual([])
  },
)
