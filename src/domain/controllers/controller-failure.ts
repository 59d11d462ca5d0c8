import { Unavailable } from '#db/database.ts'
import { ControllerError, type Failure } from '#drivers/driver.ts'
import { DomainError, type ErrorCode } from '../errors.ts'

/** Failures that the service reports itself. `controller_refused`: no credentials are stored for the controller. */
const failuresByCode: Partial<Record<ErrorCode, Failure>> = {
  controller_busy: 'busy',
  controller_refused: 'sign_in',
  no_voucher: 'no_voucher',
}

/** Why a call to a controller failed. Undefined when the error does not come from the controller. */
export function controllerFailure(error: unknown): Failure | undefined {
  if (error instanceof ControllerError) return error.cause instanceof Unavailable ? undefined : error.failure
  return error instanceof DomainError ? failuresByCode[error.code] : undefined
}

const unanswered: Failure[] = ['unreachable', 'timeout', 'failed']

/** True when the failure leaves open whether the controller is up. With any other failure the controller answered. */
export function isUnanswered(failure: Failure): boolean {
  return unanswered.includes(failure)
}
