import type { ServerResponse } from 'node:http'

/** Requests that stay open without an answer. */
export type HeldRequests = { hold(response: ServerResponse): void; closeAll(): void }

export function createHeldRequests(): HeldRequests {
  const held = new Set<ServerResponse>()
  return {
    hold(response) {
      held.add(response)
      response.once('close', () => held.delete(response))
    },
    closeAll() {
      for (const response of held) response.destroy()
    },
  }
}
