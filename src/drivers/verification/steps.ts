import { ControllerError } from '../driver.ts'

export type Step = {
  step: string
  result: 'ok' | 'failed' | 'not tried'
  ms: number | null
  /** Requests, sign-ins included. */
  calls: number | null
  detail: string
}

/** Wrong behaviour of a controller. The message is for the report, so it contains no names, ids or codes. */
export class Unexpected extends Error {
  override name = 'Unexpected'
}

export type Steps = {
  done: Step[]
  /** Undefined when the step failed, or was not tried because `needs` is missing. */
  run<T>(step: string, work: () => Promise<T>, needs: unknown): Promise<T | undefined>
}

/** Runs steps and records the result of each. */
export function createSteps(countCalls: () => number): Steps {
  const done: Step[] = []
  return {
    done,
    async run(step, work, needs) {
      if (!needs) {
        done.push({ step, result: 'not tried', ms: null, calls: null, detail: '' })
        return undefined
      }
      const [startedAt, callsBefore] = [performance.now(), countCalls()]
      const note = (result: Step['result'], detail: string) => {
        const ms = Math.round(performance.now() - startedAt)
        done.push({ step, result, ms, calls: countCalls() - callsBefore, detail })
      }
      try {
        const value = await work()
        note('ok', '')
        return value
      } catch (error) {
        note('failed', describe(error))
        return undefined
      }
    },
  }
}

/** Kind, outcome and status only: the message of an error may name a site or show a certificate. */
function describe(error: unknown): string {
  if (error instanceof Unexpected) return error.message
  if (!(error instanceof ControllerError)) return `unforeseen: ${(error as Error).name}`
  const status = /\b[1-5]\d\d\b/.exec(error.message)?.[0]
  const advice = error.failure === 'insecure' ? ': use the https:// address' : ''
  return `${error.failure}, ${error.outcome}${status ? `, status ${status}` : ''}${advice}`
}
