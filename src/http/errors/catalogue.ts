import type { ErrorCode } from '#domain/errors.ts'
import { controllerErrors } from './controller-errors.ts'
import type { ErrorEntry } from './error-entry.ts'
import { importErrors } from './import-errors.ts'
import { keyErrors } from './key-errors.ts'
import { mailErrors } from './mail-errors.ts'
import { personErrors } from './person-errors.ts'
import { requestErrors } from './request-errors.ts'
import { siteErrors } from './site-errors.ts'
import { voucherErrors } from './voucher-errors.ts'
import { webhookErrors } from './webhook-errors.ts'

/** Every error with its status, its field and its texts. A code without an entry does not compile. */
export const catalogue: Record<ErrorCode, ErrorEntry> = {
  ...requestErrors,
  ...voucherErrors,
  ...siteErrors,
  ...importErrors,
  ...controllerErrors,
  ...mailErrors,
  ...personErrors,
  ...keyErrors,
  ...webhookErrors,
}

type Answer = Extract<ErrorEntry, { status: number }> & { error: string }

/** How API v2 answers an error. Undefined for an error that is never the answer to a request. */
export function findAnswer(code: ErrorCode): Answer | undefined {
  const entry = catalogue[code]
  if ('status' in entry) return { error: code, ...entry }
  return 'field' in entry ? { error: 'invalid_request', ...invalidRequest, ...entry } : undefined
}

const invalidRequest = { status: 400, de: 'Die Anfrage ist ungültig', en: 'The request is invalid' }
