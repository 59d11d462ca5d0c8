import type { Database } from '#db/database.ts'
import type { Log } from '#lib/log.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import type { CountCall } from '../limit-actor.ts'

export type SignInContext = {
  db: Database
  limiter: CountCall
  log: Log
  /** The provider at which people sign in too, if one is configured. */
  provider?: { name: string } | undefined
}

const windowSeconds = 15 * 60

/** Throws if there were too many attempts under this key in the last 15 minutes. */
export async function countAttempt(
  { limiter }: Pick<SignInContext, 'limiter'>,
  key: string,
  limit: number,
): Promise<void> {
  const { allowed, resetSeconds } = await limiter(key, limit, windowSeconds)
  if (!allowed) throw new DomainError('sign_ins_too_many', { details: { seconds: resetSeconds } })
}

/** The person whose account was tried, if there is one, and the address of the browser. */
type Origin = { address: string | undefined; staffId: string | null }

/** The codes of rejected attempts. The value is the action in the audit, if the person is known. */
const rejections = new Map<string, string | undefined>([
  ['sign_in_failed', 'staff.sign_in_rejected'],
  ['password_sign_in_off', 'staff.sign_in_rejected'],
  ['password_wrong', 'staff.password_rejected'],
  ['second_factor_wrong', 'staff.second_factor_rejected'],
  ['recovery_code_wrong', 'staff.second_factor_rejected'],
  ['passkey_rejected', 'staff.second_factor_rejected'],
  ['passkey_counter_went_back', undefined], // it has an entry of its own
  ['sign_ins_too_many', undefined],
  ['password_link_invalid', undefined],
  ['setup_token_invalid', undefined],
  ['setup_token_expired', undefined],
])

/**
 * Runs an attempt of somebody to sign in. If it is rejected, writes a log line, and an audit entry if the person exists. Neither
 * has what was typed, because people type passwords into the field for the e-mail address. The attempt does not wait for
 * the audit: otherwise its time would show that the person exists.
 */
export async function reportIfRejected<T>(ctx: SignInContext, origin: Origin, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof DomainError && rejections.has(error.code)) report(ctx, origin, error.code)
    throw error
  }
}

function report(ctx: SignInContext, { address, staffId }: Origin, code: string): void {
  const fields = { signInRejectedFrom: address, ...(staffId !== null && { staff: staffId }), reason: code }
  ctx.log.warn(fields, 'a sign-in was rejected')
  const action = rejections.get(code)
  if (staffId !== null && action !== undefined) recordRejected(ctx, { address, staffId, action })
}

/** Writes an audit entry about a rejected attempt. The attempt does not wait for it. */
export function recordRejected(ctx: SignInContext, attempt: Rejected): void {
  recordRejection(ctx, attempt).catch((err) =>
    ctx.log.warn({ err, staff: attempt.staffId }, 'a rejected sign-in could not be recorded in the audit'),
  )
}

type Rejected = { address: string | undefined; staffId: string; action: string }

/** The rejected attempts of a person in 15 minutes that get an entry. More would let anybody fill the audit. */
const recordedAttempts = [1, 2, 3, 10, 30, 100]
const lastRecorded = Math.max(...recordedAttempts)

async function recordRejection({ db, limiter }: SignInContext, { address, staffId, action }: Rejected): Promise<void> {
  const { allowed, remaining } = await limiter(`rejected:${staffId}`, lastRecorded, windowSeconds)
  const attempts = lastRecorded - remaining
  if (!allowed || !recordedAttempts.includes(attempts)) return
  const details = { attempts }
  const service = { kind: 'service', ...(address !== undefined && { address }) } as const
  await recordAudit(db, service, { action, targetKind: 'staff', targetId: staffId, details })
}
