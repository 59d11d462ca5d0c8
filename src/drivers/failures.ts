import { ControllerError, type Outcome } from './driver.ts'

/** A redirect or a 4xx says that nothing was made; 408 and everything from 500 on leave it open. */
export function refusalOf(status: number): ControllerError {
  const message = `The controller answered ${status}`
  if (status === 401) return new ControllerError('sign_in', 'refused', message)
  if (status === 403) return new ControllerError('forbidden', 'refused', message)
  if (status === 404) return new ControllerError('missing', 'refused', message)
  if (status === 429) return new ControllerError('busy', 'refused', message)
  const certain = status >= 300 && status < 500 && status !== 408
  return certain
    ? new ControllerError('rejected', 'refused', message)
    : new ControllerError('failed', 'unknown', message)
}

/** What is not known to have failed before it was sent may have had its effect. */
export function classify(error: unknown): ControllerError {
  if (error instanceof ControllerError) return error
  const { code, name } = error as { code?: unknown; name?: string }
  if (name === 'TimeoutError' || (typeof code === 'string' && code.endsWith('_TIMEOUT'))) {
    return new ControllerError('timeout', 'unknown', 'The controller did not answer in time', { cause: error })
  }
  return new ControllerError('failed', 'unknown', `The connection broke (${code ?? name})`, { cause: error })
}

/** For steps around the one call that makes vouchers: before it nothing can have been made, after it something may. */
export function leaving(outcome: Outcome): (error: unknown) => never {
  return (error) => {
    throw error instanceof ControllerError ? error.as(outcome) : error
  }
}
