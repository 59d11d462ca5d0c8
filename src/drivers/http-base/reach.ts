import type { ControllerPlace } from '../driver.ts'
import { createHttpClient, errorForStatus } from './http-client.ts'

const reachTimeoutMs = 3_000
/** The start page of a console has some kilobytes. */
const maxPageBytes = 256 * 1024

/**
 * Requests the start page of a controller. UniFi controllers show it without a sign-in.
 * Opens a connection of its own, so that a check of thousands of controllers leaves no connections open.
 */
export async function reach(controller: ControllerPlace): Promise<void> {
  const http = createHttpClient({ ...controller, stampSkewMs: () => 0 })
  try {
    const { status } = await http.request({
      method: 'GET',
      path: '/',
      headers: { accept: '*/*', 'user-agent': 'voucher-service-probe' },
      deadline: AbortSignal.timeout(reachTimeoutMs),
      maxBytes: maxPageBytes,
    })
    if (status >= 500 || status === 408) throw errorForStatus(status)
  } finally {
    http.shared.close().catch(() => {})
  }
}
