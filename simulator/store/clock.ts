export type Clock = { now(): number; advance(seconds: number): void }

const latestDateMs = 8.64e15

/** The machine's time plus what the tests have added to it. */
export function createClock(): Clock {
  let offsetMs = 0
  return {
    now: () => Date.now() + offsetMs,
    advance(seconds) {
      const next = offsetMs + seconds * 1000
      // Leaves room for the longest voucher after the new time.
      if (!(Math.abs(Date.now() + next) < latestDateMs / 2)) throw new RangeError('The clock cannot go that far')
      offsetMs = next
    },
  }
}
