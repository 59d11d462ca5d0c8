export type Clock = { now(): number; advance(seconds: number): void; freeze(frozen: boolean): void }

const latestDateMs = 8.64e15

/** The machine's time plus what the tests have added to it; while frozen, only they move it. */
export function createClock(): Clock {
  let offsetMs = 0
  let frozenMs: number | undefined
  const machine = () => frozenMs ?? Date.now()
  return {
    now: () => machine() + offsetMs,
    advance(seconds) {
      const next = offsetMs + seconds * 1000
      // Leaves room for the longest voucher after the new time.
      if (!(Math.abs(machine() + next) < latestDateMs / 2)) throw new RangeError('The clock cannot go that far')
      offsetMs = next
    },
    freeze(frozen) {
      frozenMs = frozen ? machine() : undefined
    },
  }
}
