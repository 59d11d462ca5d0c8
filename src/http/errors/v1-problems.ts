import type { ErrorCode } from '#domain/errors.ts'
import { findAnswer } from './catalogue.ts'

export type V1Problem = { status: number; error: string; message?: string; headers?: Record<string, string> }

const checkingOutcome =
  'Ob ein Voucher entstanden ist, wird geprüft. Bitte mit demselben Idempotency-Key wiederholen oder die Liste abfragen.'

const dailyLimit = {
  error: 'daily_limit_reached',
  message: 'Das Tageslimit für Voucher ist erreicht ({limit} am Tag). Es wurde kein Voucher erstellt.',
}

/** Names and German messages of API v1. API v1 is frozen, so its texts do not change with those of the catalogue. */
const frozen = {
  request_unreadable: { error: 'invalid_request', message: 'Anfrage nicht lesbar' },
  site_id_required: { error: 'invalid_request', message: 'site_id erforderlich' },
  name_required: { error: 'invalid_request', message: 'name erforderlich' },
  name_unprintable: { error: 'invalid_request', message: 'name enthält nicht druckbare Zeichen' },
  name_too_long: { error: 'invalid_request', message: 'name ist länger als 244 Zeichen' },
  idempotency_key_invalid: { error: 'invalid_request', message: 'Idempotency-Key ungültig' },
  beyond_bounds: { error: 'invalid_request', message: '{field} muss zwischen {min} und {max} liegen' },
  valid_until_passed: {
    error: 'invalid_request',
    message: 'valid_until muss mindestens eine Minute in der Zukunft liegen',
  },
  unauthorized: { error: 'unauthorized', message: 'Ein gültiger API-Schlüssel ist erforderlich' },
  invalid_key: { error: 'unauthorized', message: 'Ein gültiger API-Schlüssel ist erforderlich' },
  write_scope_missing: { error: 'forbidden', message: 'Dem API-Schlüssel fehlt die Berechtigung write' },
  endpoint_not_found: { error: 'not_found', message: 'Endpunkt nicht gefunden' },
  site_not_found: { error: 'not_found', message: 'Site nicht gefunden' },
  idempotency_in_progress: {
    error: 'idempotency_in_progress',
    message: 'Eine Anfrage mit diesem Idempotency-Key läuft noch',
  },
  idempotency_mismatch: {
    error: 'idempotency_mismatch',
    message: 'Dieser Idempotency-Key wurde mit anderem Inhalt verwendet',
  },
  method_not_allowed: { error: 'method_not_allowed' },
  payload_too_large: { error: 'payload_too_large', message: 'Der Inhalt der Anfrage ist größer als 64 KiB' },
  rate_limited: { error: 'rate_limited', message: 'Anfragelimit überschritten, bitte später erneut versuchen' },
  key_limit_reached: dailyLimit,
  person_limit_reached: dailyLimit,
  site_limit_reached: dailyLimit,
  controller_busy: {
    error: 'server_error',
    message: 'Der Controller ist ausgelastet. Es wurde kein Voucher erstellt.',
  },
  controller_unreachable: {
    error: 'server_error',
    message: 'Controller nicht erreichbar. Es wurde kein Voucher erstellt.',
  },
  controller_refused: {
    error: 'server_error',
    message: 'Der Controller hat die Anfrage abgelehnt. Es wurde kein Voucher erstellt.',
  },
  controller_timeout: {
    error: 'server_error',
    message: `Der Controller hat nicht rechtzeitig geantwortet. ${checkingOutcome}`,
  },
  controller_failed: {
    error: 'server_error',
    message: `Der Controller hat die Anfrage nicht beantwortet. ${checkingOutcome}`,
  },
  recording_failed: {
    error: 'server_error',
    message: `Der Voucher konnte nicht gespeichert werden. ${checkingOutcome}`,
  },
  no_voucher: {
    error: 'upstream_error',
    message: `Der Controller hat keinen gültigen Voucher geliefert. ${checkingOutcome}`,
  },
  store_unavailable: {
    error: 'unavailable',
    message: 'Der Dienst ist vorübergehend nicht verfügbar, bitte später erneut versuchen',
  },
  held: {
    error: 'unavailable',
    message: 'Der Dienst ist vorübergehend nicht verfügbar, bitte später erneut versuchen',
    headers: { 'retry-after': '5' },
  },
} satisfies Partial<Record<ErrorCode, Omit<V1Problem, 'status'>>>

/** Errors that a client of API v1 can get. */
export type V1ErrorCode = keyof typeof frozen

/** Every error of API v1. Its status comes from the catalogue. So do its headers, unless `frozen` has others. */
export const v1Problems = Object.fromEntries(
  Object.entries(frozen).map(([code, words]) => [code, { ...statusOf(code as V1ErrorCode), ...words }]),
) as Record<V1ErrorCode, V1Problem>

function statusOf(code: V1ErrorCode): Pick<V1Problem, 'status' | 'headers'> {
  const { status, headers = {} } = findAnswer(code) as NonNullable<ReturnType<typeof findAnswer>>
  return { status, headers }
}
