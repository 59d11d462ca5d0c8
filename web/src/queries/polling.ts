import { toApiError } from '../api.ts'

/** The part of a query that decides when it is repeated. */
type Polled<Data> = { state: { data: Data | undefined; error: Error | null } }

/**
 * The `refetchInterval` of a query. It goes on after a lost connection and a failure of the service. It stops after a rejection:
 * the thing is gone, the right is missing or the session ended, and another request would be rejected too. The next successful
 * answer starts it again, for example after the sign-in.
 */
export function pollEvery<Data>(ms: number | ((data: Data | undefined) => number | false)) {
  return ({ state: { data, error } }: Polled<Data>): number | false => {
    if (error !== null && isRejection(toApiError(error).status)) return false
    return typeof ms === 'number' ? ms : ms(data)
  }
}

function isRejection(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429 // too many requests: the next one may succeed
}
