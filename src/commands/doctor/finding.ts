/** What a check found. A warning is worth a look; with a problem, something does not work. Neither ever contains a secret. */
export type Finding = {
  check: string
  result: 'ok' | 'warning' | 'problem'
  message: string
  /** What to do, in one sentence. Null if all is well. */
  fix: string | null
}

/** The findings of one check, under its name. */
export function findingsOf(check: string) {
  return {
    ok: (message: string): Finding => ({ check, result: 'ok', message, fix: null }),
    warning: (message: string, fix: string): Finding => ({ check, result: 'warning', message, fix }),
    problem: (message: string, fix: string): Finding => ({ check, result: 'problem', message, fix }),
  }
}
