import type { Answer } from './receivers.ts'

/** Why an attempt failed, for people who must find the cause. New kinds may be added. */
export const failureKinds = [
  'status', // the receiver answered with a status other than 2xx
  'timeout',
  'name', // the host name has no address
  'tls', // the certificate or the encryption
  'refused', // nothing listens at the address
  'connection', // the connection could not be opened, or broke
  'incomplete', // the answer broke off or was too long
  'forbidden', // the address policy of the service
  'secrets', // the stored URL or secret cannot be decrypted
] as const

export type FailureKind = (typeof failureKinds)[number]

/** A 2xx counts only when it is complete: a proxy may send its beginning although the receiver behind it is gone. */
export function wasAccepted({ status, error }: Pick<Answer, 'status' | 'error'>): boolean {
  return error === null && status !== null && status >= 200 && status < 300
}

/** Null for an attempt that arrived. */
export function failureKind({ status, error }: { status: number | null; error: string | null }): FailureKind | null {
  if (wasAccepted({ status, error })) return null
  if (error === null) return 'status'
  if (status !== null) return status >= 200 && status < 300 ? 'incomplete' : 'status'
  return kinds.find(([pattern]) => pattern.test(error))?.[1] ?? 'connection'
}

/** The texts are those of `receivers.ts` and `send-event.ts`; the codes are those of Node. */
const kinds: [RegExp, FailureKind][] = [
  [/address not allowed$/, 'forbidden'],
  [/cannot be decrypted$/, 'secrets'],
  [/^no answer within/, 'timeout'],
  [/^(ENOTFOUND|ENODATA|EAI_\w+|ETIMEOUT|ESERVFAIL|EFAIL)$/, 'name'],
  [/CERT|TLS|SSL|UNABLE_TO_|HOSTNAME_MISMATCH|^EPROTO$/, 'tls'],
  [/^ECONNREFUSED$/, 'refused'],
]
