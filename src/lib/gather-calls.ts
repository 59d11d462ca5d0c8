/** The result of the run that served a caller, and the caller's place (1 to `callers`) in that run, by arrival. */
type Served<Result> = { result: Result; place: number; callers: number }

type Run<Result> = { started: boolean; callers: number; result: Promise<Result> }

type Work<Result> = (callers: number) => Promise<Result>

/**
 * Serves concurrent calls with the same key by one run of `work`. At most one run per key is under way. A call that
 * arrives during a run waits for the next one, so a run always starts after every call that it serves.
 */
export function gatherCalls<Result>(): (key: string, work: Work<Result>) => Promise<Served<Result>> {
  const latestRuns = new Map<string, Run<Result>>()

  return async (key, work) => {
    let run = latestRuns.get(key)
    if (!run || run.started) {
      run = planRun(key, work, run)
      latestRuns.set(key, run)
    }
    run.callers += 1
    const place = run.callers
    const result = await run.result
    return { result, place, callers: run.callers }
  }

  function planRun(key: string, work: Work<Result>, previous: Run<Result> | undefined): Run<Result> {
    const previousEnd = previous ? previous.result.catch(() => {}) : Promise.resolve()
    const run: Run<Result> = {
      started: false,
      callers: 0,
      result: previousEnd
        .then(() => {
          run.started = true
          return work(run.callers)
        })
        .finally(() => {
          if (latestRuns.get(key) === run) latestRuns.delete(key)
        }),
    }
    return run
  }
}
