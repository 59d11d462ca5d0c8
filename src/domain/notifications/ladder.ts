const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Over three days, and often at first: most failures are short. */
const pausesMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]

type Circumstances = {
  /** Of all pauses; 1 but in tests. */
  scale: number
  /** What the receiver asked for. It may ask for more time, not for less: else a busy one would use up all attempts. */
  askedMs: number | null
  random?: () => number
}

/** How long to wait after so many failures in a row, spread by 20 percent. Undefined when it is time to give up. */
export function pauseAfter(failures: number, { scale, askedMs, random = Math.random }: Circumstances) {
  const pause = pausesMs[failures - 1]
  return pause === undefined ? undefined : Math.max(pause * scale * (0.8 + 0.4 * random()), askedMs ?? 0)
}
