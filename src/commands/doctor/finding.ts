/**
 * The result of a check. `warning`: worth a look. `problem`: something does not work. The texts never contain a secret.
 */
export type Finding = {
  check: string
  result: 'ok' | 'warning' | 'problem'
  message: string
  /** The next step for the operator. Null if the result is ok. */
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
