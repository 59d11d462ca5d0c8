import { subscribe, unsubscribe } from 'node:diagnostics_channel'

const channel = 'undici:request:create'

export type CallCounter = { count(): number; stop(): void }

/** Counts the requests that this process sends, so it is for a process that does nothing else. */
export function startCallCounter(): CallCounter {
  let calls = 0
  const onRequest = () => void calls++
  subscribe(channel, onRequest)
  return { count: () => calls, stop: () => void unsubscribe(channel, onRequest) }
}
