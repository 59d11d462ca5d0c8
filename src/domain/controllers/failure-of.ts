import { ControllerError, type Failure } from '#drivers/driver.ts'
import { Unavailable } from '#lib/unavailable.ts'
import { DomainError } from '../errors.ts'

/** After one of these nobody knows whether the controller is there; after any other it answered, whatever it said. */
export const saysNothing: Failure[] = ['unreachable', 'timeout', 'failed']

/** Why a controller did not do what it was asked; undefined when it was not the controller. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof ControllerError) return error.cause instanceof Unavailable ? undefined : error.failure
  if (!(error instanceof DomainError)) return undefined
  return error.code === 'controller_busy' ? 'busy' : 'sign_in' // it has no credentials
}
