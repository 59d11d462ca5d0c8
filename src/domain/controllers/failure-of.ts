import { ControllerError, type Failure } from '#drivers/driver.ts'
import { Unavailable } from '#lib/unavailable.ts'
import { DomainError } from '../errors.ts'

/** Why a controller did not do what it was asked; undefined when it was not the controller. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof ControllerError) return error.cause instanceof Unavailable ? undefined : error.failure
  if (!(error instanceof DomainError)) return undefined
  return error.code === 'controller_busy' ? 'busy' : 'sign_in' // it has no credentials
}
