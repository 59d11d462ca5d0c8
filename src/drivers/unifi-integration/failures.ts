import { ControllerError } from '../driver.ts'

/** Errors that come before the first byte of a request was sent. */
const beforeSending = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'EPROTO',
])

/** What is not known to have failed before it was sent may have had its effect. */
export function classify(error: unknown): ControllerError {
  if (error instanceof ControllerError) return error
  const { code, name } = error as { code?: string; name?: string }
  if (code !== undefined && beforeSending.has(code)) {
    return new ControllerError('unreachable', 'refused', `The controller cannot be reached (${code})`, { cause: error })
  }
  if (name === 'TimeoutError' || code?.endsWith('_TIMEOUT')) {
    return new ControllerError('timeout', 'unknown', 'The controller did not answer in time', { cause: error })
  }
  return new ControllerError('failed', 'unknown', `The connection broke (${code ?? name})`, { cause: error })
}
