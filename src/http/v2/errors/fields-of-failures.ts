import type { DomainError, ErrorCode, ErrorDetails } from '#domain/errors.ts'
import type { InvalidField } from './invalid-fields.ts'
import type { V2ErrorCode } from './problems.ts'

/** The domain's errors use the field names of API v1. These fields have another name in API v2. */
const namesInV2: Record<string, string> = { 'qos.down': 'qos.down_kbps', 'qos.up': 'qos.up_kbps' }

type Failure = { code: ErrorCode | V2ErrorCode; details: ErrorDetails }

const badUrl: InvalidField = {
  field: 'url',
  code: 'bad_format',
  allowed: { example: 'https://hooks.example.com/catch/1' },
}
const badFile: InvalidField = { field: 'body', code: 'bad_format' }
const tooManyMatches = { code: 'too_many', allowed: { max_items: 10_000 } } as const

/** The field that each failure with the status 400 is about, and some with the status 409. */
const fieldsOfFailures: Partial<Record<Failure['code'], (details: ErrorDetails) => InvalidField>> = {
  request_unreadable: () => ({ field: 'request', code: 'bad_format' }),
  body_unreadable: () => ({ field: 'body', code: 'bad_format' }),
  body_not_object: () => ({ field: 'body', code: 'wrong_type', allowed: { types: ['object'] } }),
  site_id_required: () => ({ field: 'site_id', code: 'required' }),
  name_required: () => ({ field: 'name', code: 'required' }),
  name_unprintable: () => ({ field: 'name', code: 'unprintable' }),
  name_too_long: () => ({ field: 'name', code: 'too_long', allowed: { max_length: 244 } }),
  idempotency_key_invalid: () => ({
    field: 'Idempotency-Key',
    code: 'bad_format',
    allowed: { min_length: 1, max_length: 255, pattern: '^[\\x21-\\x7e]+$' },
  }),
  beyond_bounds: ({ field = '', min, max }) => ({
    field: namesInV2[field] ?? String(field),
    code: 'out_of_range',
    allowed: { minimum: Number(min), maximum: Number(max) },
  }),
  password_too_short: ({ field, min }) => ({
    field: String(field),
    code: 'too_short',
    allowed: { min_length: Number(min) },
  }),
  password_too_long: ({ field, max }) => ({
    field: String(field),
    code: 'too_long',
    allowed: { max_length: Number(max) },
  }),
  password_common: ({ field }) => ({ field: String(field), code: 'password_common' }),
  email_invalid: () => ({ field: 'email', code: 'bad_format', allowed: { format: 'email' } }),
  person_sites_missing: () => ({
    field: 'site_ids',
    code: 'one_of_required',
    allowed: { fields: ['site_ids', 'all_sites'] },
  }),
  valid_until_passed: () => ({ field: 'valid_until', code: 'in_the_past' }),
  extendable_until_too_late: ({ latest }) => ({
    field: 'extendable_until',
    code: 'too_late',
    allowed: { example: String(latest) },
  }),
  template_not_usable: () => ({ field: 'template_id', code: 'not_usable' }),
  vouchers_too_many: () => ({ field: 'filter', ...tooManyMatches }),
  export_too_large: () => ({ field: 'query', ...tooManyMatches }),
  display_name_invalid: ({ field, max }) => ({
    field: String(field),
    code: 'bad_format',
    allowed: { min_length: 1, max_length: Number(max) },
  }),
  csv_too_long: () => badFile,
  csv_not_utf8: () => badFile,
  csv_unreadable: () => badFile,
  csv_columns_missing: () => badFile,
  csv_columns_unknown: () => badFile,
  csv_columns_repeated: () => badFile,
  driver_not_found: () => ({ field: 'driver', code: 'not_usable' }),
  controller_address_unreadable: ({ example }) => ({
    field: 'address',
    code: 'bad_format',
    allowed: { example: String(example) },
  }),
  controller_address_with_extras: ({ example }) => ({
    field: 'address',
    code: 'bad_format',
    allowed: { example: String(example) },
  }),
  certificate_pin_without_tls: () => ({ field: 'certificate_pin', code: 'not_usable' }),
  cloud_account: () => ({ field: 'username', code: 'not_usable' }),
  username_not_supported: () => ({ field: 'username', code: 'not_usable' }),
  username_required: () => ({ field: 'username', code: 'required' }),
  username_without_secret: () => ({ field: 'secret', code: 'required' }),
  controller_site_not_found: () => ({ field: 'controller_site', code: 'not_usable' }),
  webhooks_of_site_too_many: () => ({ field: 'site_ids', code: 'not_usable' }),
  webhooks_of_all_sites_too_many: () => ({ field: 'site_ids', code: 'not_usable' }),
  webhook_url_unreadable: () => badUrl,
  webhook_url_with_credentials: () => badUrl,
  webhook_url_forbidden: () => ({ field: 'url', code: 'not_usable' }),
  logo_unreadable: () => ({ field: 'body', code: 'bad_format' }),
  logo_dimensions_too_large: ({ max }) => ({ field: 'body', code: 'out_of_range', allowed: { maximum: Number(max) } }),
  key_expiry_required: () => ({ field: 'expires_at', code: 'required' }),
  key_grace_passed: () => ({ field: 'old_valid_until', code: 'in_the_past' }),
  key_grace_too_long: () => ({ field: 'old_valid_until', code: 'out_of_range' }),
  wifi_name_too_long: ({ max }) => ({
    field: 'wifi_name',
    code: 'too_many_bytes',
    allowed: { max_bytes: Number(max) },
  }),
  wifi_name_unprintable: () => ({ field: 'wifi_name', code: 'unprintable' }),
  wifi_password_invalid: () => ({ field: 'wifi_password', code: 'wifi_password_invalid' }),
  time_zone_unknown: () => ({ field: 'time_zone', code: 'time_zone_unknown', allowed: { example: 'Europe/Vienna' } }),
  guest_language_unknown: ({ index, allowed }) => ({
    field: `guest_languages[${index}]`,
    code: 'not_one_of',
    allowed: { values: String(allowed).split(', ') },
  }),
  guest_language_repeated: ({ index }) => ({ field: `guest_languages[${index}]`, code: 'repeated' }),
  footer_too_long: ({ max }) => ({ field: 'footer', code: 'too_long', allowed: { max_length: Number(max) } }),
  footer_unprintable: () => ({ field: 'footer', code: 'unprintable' }),
  room_days_out_of_range: ({ min, max }) => ({
    field: 'room_days',
    code: 'out_of_range',
    allowed: { minimum: Number(min), maximum: Number(max) },
  }),
}

/** The fields that a failure is about; none if it is not about fields. */
export function invalidFieldsOf(failure: Failure & Partial<Pick<DomainError, 'more' | 'fields'>>): InvalidField[] {
  if (failure.code === 'invalid_request') return failure.fields as InvalidField[]
  return [failure, ...(failure.more ?? [])].flatMap(({ code, details }) => fieldsOfFailures[code]?.(details) ?? [])
}
