import type { ServerResponse } from 'node:http'

/** Waits, but no longer than the caller does, and never keeps the process alive. */
export function wait(response: ServerResponse, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      response.off('close', end)
      resolve()
    }
    const timer = setTimeout(end, delayMs).unref()
    response.once('close', end)
  })
}
