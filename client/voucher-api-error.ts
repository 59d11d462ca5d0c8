import type { InvalidField, Problem } from './voucher-api.generated.ts'

/** Names of problems. The service may add names, and the client adds two for requests without a usable answer. */
type ErrorName = Problem['error'] | 'no_answer' | 'unexpected_answer' | (string & Record<never, never>)

type Details = Partial<Pick<VoucherApiError, 'status' | 'request_id' | 'errors' | 'retry_after' | 'voucher_outcome'>>

/** Every failure of a call, except when the caller's `signal` ends it. */
export class VoucherApiError extends Error {
  override name = 'VoucherApiError'
  /** The status of the answer; 0 if there was no answer. */
  readonly status: number
  /** The name for programs, such as `not_found`. */
  readonly error: ErrorName
  /** The id of the request in the log of the service. Tell it to the operator. */
  readonly request_id: string | null
  /** Every invalid field, if fields are the problem. */
  readonly errors: InvalidField[]
  /** How many seconds the service asks to wait. */
  readonly retry_after: number | null
  /** Whether a creation that failed may have made a voucher. */
  readonly voucher_outcome: 'none' | 'unknown' | null

  constructor(error: ErrorName, message: string, details: Details = {}, options?: ErrorOptions) {
    super(message, options)
    this.error = error
    this.status = details.status ?? 0
    this.request_id = details.request_id ?? null
    this.errors = details.errors ?? []
    this.retry_after = details.retry_after ?? null
    this.voucher_outcome = details.voucher_outcome ?? null
  }
}

/** The error that an answer describes. Answers of proxies, which have no such description, are `unexpected_answer`. */
export function errorOf({ status, headers }: Response, text: string): VoucherApiError {
  const problem = readProblem(text)
  return new VoucherApiError(
    problem?.error ?? 'unexpected_answer',
    problem?.message ?? `The answer has the status ${status} and no description of a problem`,
    {
      status,
      request_id: problem?.request_id ?? headers.get('X-Request-Id'),
      errors: problem?.errors ?? [],
      retry_after: secondsOf(headers.get('Retry-After')),
      voucher_outcome: headers.get('Voucher-Outcome') as 'none' | 'unknown' | null,
    },
  )
}

function readProblem(text: string): Problem | undefined {
  try {
    const body = JSON.parse(text)
    return typeof body?.error === 'string' ? body : undefined
  } catch {
    return undefined
  }
}

/** `Retry-After` is a number of seconds or a date. */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
