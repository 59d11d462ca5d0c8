export type Clock = { now(): number; advance(seconds: number): void; freeze(frozen: boolean): void }

const latestDateMs = 8.64e15

/** The machine's time plus the seconds that tests have added. While it is frozen, only tests move it. */
export function createClock(): Clock {
  let offsetMs = 0
  let frozenMs: number | undefined
  const machineMs = () => frozenMs ?? Date.now()
  return {
    now: () => machineMs() + offsetMs,
    advance(seconds) {
      const next = offsetMs + seconds * 1000
      // The end of the longest voucher must still be a valid date.
      if (!(Math.abs(machineMs() + next) < latestDateMs / 2)) throw new RangeError('The clock cannot go that far')
      offsetMs = next
    },
    freeze(frozen) {
      frozenMs = frozen ? machineMs() : undefined
    },
  }
}

/** Controllers store times in whole seconds. */
export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000
}
