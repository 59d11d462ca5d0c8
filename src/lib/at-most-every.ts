/** Calls `run` at once, and then at most once per interval. Calls in between have no effect. */
export function atMostEvery<Args extends unknown[]>(intervalMs: number, run: (...args: Args) => void) {
  let nextMs = 0
  return (...args: Args): void => {
    const nowMs = performance.now()
    if (nowMs < nextMs) return
    nextMs = nowMs + intervalMs
    run(...args)
  }
}
