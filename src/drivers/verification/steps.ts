import { ControllerError } from '../driver.ts'

export type Step = {
  step: string
  result: 'ok' | 'failed' | 'not tried'
  ms: number | null
  /** The number of requests, sign-ins included. */
  calls: number | null
  detail: string
}

/** Wrong behaviour of a controller. The message is for the report, so it contains no names, ids or codes. */
export class Unexpected extends Error {
  override name = 'Unexpected'
}

export type Steps = {
  done: Step[]
  /** Returns undefined when the step failed, or was not tried because `needs` is missing. */
  run<T>(step: string, work: () => Promise<T>, needs: unknown): Promise<T | undefined>
}

/** Runs steps and records the result of each. */
export function createSteps(countRequests: () => number): Steps {
  const done: Step[] = []
  return {
    done,
    async run(step, work, needs) {
      if (!needs) {
        done.push({ step, result: 'not tried', ms: null, calls: null, detail: '' })
        return undefined
      }
      const [startedAt, requestsBefore] = [performance.now(), countRequests()]
      const record = (result: Step['result'], detail: string) => {
        const ms = Math.round(performance.now() - startedAt)
        done.push({ step, result, ms, calls: countRequests() - requestsBefore, detail })
      }
      try {
        const value = await work()
        record('ok', '')
        return value
      } catch (error) {
        record('failed', describe(error))
        return undefined
      }
    },
  }
}

/** Reports only failure, outcome and status, because the message of an error may contain a site's name or a certificate. */
function describe(error: unknown): string {
  if (error instanceof Unexpected) return error.message
  if (!(error instanceof ControllerError)) return `unforeseen: ${(error as Error).name}`
  const status = /\b[1-5]\d\d\b/.exec(error.message)?.[0]
  const advice = error.failure === 'insecure' ? ': use the https:// address' : ''
  return `${error.failure}, ${error.outcome}${status ? `, status ${status}` : ''}${advice}`
}
