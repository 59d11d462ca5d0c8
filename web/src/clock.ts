import { useSyncExternalStore } from 'react'

/**
 * The current time for all components together, updated with this period while somebody looks. A component that appears between two
 * ticks gets the time of its appearance, and so do the others.
 */
export function createClock(periodMs: number) {
  let now = Date.now()
  let timer: ReturnType<typeof setInterval> | undefined
  const listeners = new Set<() => void>()
  const tick = () => {
    now = Date.now()
    for (const listener of listeners) listener()
  }
  const isOld = () => Math.abs(Date.now() - now) >= 1000
  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      timer ??= setInterval(tick, periodMs)
      if (isOld()) tick()
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    now(): number {
      if (listeners.size === 0 && isOld()) now = Date.now()
      return now
    },
  }
}

const slow = createClock(10_000)
const fast = createClock(1_000)

/** The current time, for words such as "4 min ago". */
export function useNow(): Date {
  return new Date(useSyncExternalStore(slow.subscribe, slow.now, slow.now))
}

const never = () => () => {}

/** The current time in milliseconds, updated every second while it is needed. */
export function useSeconds(isOn: boolean): number {
  return useSyncExternalStore(isOn ? fast.subscribe : never, fast.now, fast.now)
}
