/**
 * Codes of foreseen failures. `src/http/errors` has one catalogue with the status and the words for each: a code without an
 * entry there does not compile.
 */
export type ErrorCode =
  | RequestErrorCode
  | VoucherErrorCode
  | SiteErrorCode
  | ImportErrorCode
  | ControllerErrorCode
  | MailErrorCode
  | PersonErrorCode
  | KeyErrorCode
  | WebhookErrorCode

/** Failures of the request itself, of rights and of limits. */
export type RequestErrorCode =
  | 'endpoint_not_found'
  | 'method_not_allowed'
  | 'request_unreadable'
  | 'unauthorized'
  | 'invalid_key'
  | 'write_scope_missing'
  | 'manage_scope_missing'
  | 'people_only'
  | 'role_missing'
  | 'session_ended'
  | 'origin_mismatch'
  | 'content_type_required'
  | 'rate_limited'
  | 'payload_too_large'
  | 'not_found'
  | 'invalid_request'
  | 'body_unreadable'
  | 'body_not_object'
  | 'idempotency_key_invalid'
  | 'idempotency_in_progress'
  | 'idempotency_mismatch'
  | 'searches_too_many'
  | 'search_too_slow'
  | 'exports_too_many'
  | 'export_too_large'
  | 'slips_not_drawn'
  | 'overviews_too_many'
  | 'store_unavailable'
  | 'held'
  | 'server_error'

/** Failures of vouchers, batches, revocations and templates. */
export type VoucherErrorCode =
  | 'name_required'
  | 'name_unprintable'
  | 'name_too_long'
  | 'beyond_bounds'
  | 'valid_until_passed'
  | 'valid_until_too_late'
  | 'valid_until_not_later'
  | 'valid_until_not_earlier'
  | 'no_end_to_move_later'
  | 'no_end_to_remove'
  | 'extendable_until_too_late'
  | 'valid_until_beyond_limit'
  | 'key_limit_reached'
  | 'person_limit_reached'
  | 'site_limit_reached'
  | 'recipient_limit_reached'
  | 'messages_limit_reached'
  | 'mail_not_set_up'
  | 'template_not_usable'
  | 'template_not_found'
  | 'template_place_not_usable'
  | 'template_name_taken'
  | 'controller_busy'
  | 'controller_unreachable'
  | 'controller_refused'
  | 'controller_timeout'
  | 'controller_failed'
  | 'no_voucher'
  | 'recording_failed'
  | 'voucher_not_found'
  | 'voucher_ended'
  | 'voucher_being_revoked'
  | 'voucher_still_valid'
  | 'guest_not_found'
  | 'receipt_line_invalid'
  | 'batches_too_many'
  | 'vouchers_too_many'
  | 'withdrawals_too_many'

/** Failures of sites and of what their guests see. */
export type SiteErrorCode =
  | 'site_id_required'
  | 'site_not_found'
  | 'display_name_invalid'
  | 'all_sites_required'
  | 'controller_site_taken'
  | 'site_numbers_used_up'
  | 'site_in_use'
  | 'site_inactive'
  | 'wifi_name_too_long'
  | 'wifi_name_unprintable'
  | 'wifi_password_invalid'
  | 'time_zone_unknown'
  | 'time_zone_fixed'
  | 'guest_language_unknown'
  | 'guest_language_repeated'
  | 'footer_too_long'
  | 'footer_unprintable'
  | 'slip_line_repeated'
  | 'slip_code_missing'
  | 'room_days_out_of_range'
  | 'logo_too_large'
  | 'logo_type_unsupported'
  | 'logo_unreadable'
  | 'logo_dimensions_too_large'
  | 'setting_fixed'

/** Failures of importing sites from a CSV file. */
export type ImportErrorCode =
  | 'imports_too_many'
  | 'import_refused'
  | 'csv_too_long'
  | 'csv_too_large'
  | 'csv_not_utf8'
  | 'csv_unreadable'
  | 'csv_columns_missing'
  | 'csv_columns_unknown'
  | 'csv_columns_repeated'
  | 'row_repeated'
  | 'row_length_wrong'
  | 'column_not_yes_or_no'
  | 'column_empty'
  | 'column_invalid'
  | 'column_not_fingerprint'
  | 'controller_column_empty'
  | 'controller_recorded_differently'
  | 'controller_row_differs'
  | 'controller_row_refused'
  | 'site_recorded_under_other_name'

/** Failures of controllers and their credentials. */
export type ControllerErrorCode =
  | 'controller_not_found'
  | 'controller_name_taken'
  | 'controller_in_use'
  | 'controller_check_failed'
  | 'controller_checks_too_many'
  | 'controller_sites_unknown'
  | 'controller_site_not_found'
  | 'controller_address_unreadable'
  | 'controller_address_with_extras'
  | 'certificate_pin_without_tls'
  | 'cloud_account'
  | 'driver_not_found'
  | 'username_not_supported'
  | 'username_required'
  | 'username_without_secret'

/** Failures of the mail server and of its senders. */
export type MailErrorCode =
  | 'mail_host_required'
  | 'mail_host_invalid'
  | 'mail_username_required'
  | 'mail_password_required'
  | 'mail_password_unencrypted'
  | 'mail_address_invalid'
  | 'mail_server_missing'
  | 'mail_tests_too_many'
  | 'link_mail_not_set_up'

/** Failures of people who sign in, and of managing them. */
export type PersonErrorCode =
  | 'sign_in_failed'
  | 'sign_in_unencrypted'
  | 'sign_ins_too_many'
  | 'password_wrong'
  | 'password_too_short'
  | 'password_too_long'
  | 'password_common'
  | 'password_link_invalid'
  | 'setup_done'
  | 'setup_token_invalid'
  | 'setup_token_expired'
  | 'email_invalid'
  | 'email_taken'
  | 'person_not_found'
  | 'person_inactive'
  | 'last_administrator'
  | 'person_sites_missing'
  | 'own_account'
  | 'rights_beyond_own'
  | 'limits_beyond_own'
  | 'administrator_needed'
  | 'second_step_ended'
  | 'second_factor_wrong'
  | 'recovery_code_wrong'
  | 'second_factor_missing'
  | 'last_second_factor'
  | 'own_factor_missing'
  | 'sign_in_again'
  | 'sign_in_again_otherwise'
  | 'authenticator_app_not_begun'
  | 'authenticator_app_not_checked'
  | 'authenticator_app_missing'
  | 'passkey_rejected'
  | 'passkey_counter_went_back'
  | 'passkey_known'
  | 'passkeys_too_many'
  | 'passkeys_elsewhere'
  | 'password_sign_in_off'
  | 'password_sign_in_needed'
  | 'break_glass_unfit'
  | 'break_glass_needed'
  | 'last_administrator_by_groups'
  | 'rights_from_groups'
  | 'group_repeated'
  | 'identity_missing'
  | 'identity_needed'
  | 'identity_taken'
  | 'identity_other'
  | 'provider_missing'
  | 'provider_unreachable'
  | 'provider_answer_invalid'
  | 'provider_sign_in_cancelled'
  | 'provider_sign_in_expired'
  | 'provider_clock_differs'
  | 'provider_organisation_wrong'
  | 'provider_groups_missing'
  | 'provider_groups_too_many'
  | 'provider_email_missing'
  | 'provider_email_taken'
  | 'provider_person_inactive'

export type KeyErrorCode =
  | 'key_not_found'
  | 'key_prefix_reserved'
  | 'key_prefix_invalid'
  | 'key_prefix_taken'
  | 'key_expiry_required'
  | 'key_created_before'
  | 'key_revoked'
  | 'key_expired'
  | 'key_rolled'
  | 'key_grace_passed'
  | 'key_grace_too_long'

export type WebhookErrorCode =
  | 'webhook_not_found'
  | 'webhook_name_taken'
  | 'webhooks_of_site_too_many'
  | 'webhooks_of_all_sites_too_many'
  | 'webhook_events_invalid'
  | 'webhook_url_unreadable'
  | 'webhook_url_with_credentials'
  | 'webhook_url_forbidden'
  | 'webhook_unsigned'
  | 'webhook_disabled'
  | 'webhook_tests_too_many'
  | 'delivery_not_found'

export type ErrorDetails = Record<string, string | number>

/** A field of a request that was rejected. The http layer has the codes, and words for each. */
type RejectedField = { field: string; code: string; allowed?: object }

type Options = ErrorOptions & { details?: ErrorDetails; more?: DomainError[]; fields?: RejectedField[] }

/** A foreseen failure: a code, and details that fill the gaps in the words for it, e.g. a field and its bounds. */
export class DomainError extends Error {
  override name = 'DomainError'
  readonly code: ErrorCode
  readonly details: ErrorDetails
  /** Other errors in the same input. API v1 and the command line show only the first error. */
  readonly more: DomainError[]
  /** The invalid fields of an `invalid_request`. */
  readonly fields: RejectedField[]
  constructor(code: ErrorCode, options: Options = {}) {
    // A foreseen failure is never logged with its stack, and capturing the stack would take 7% of the time of a 401.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(code, options)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.details = options.details ?? {}
    this.more = options.more ?? []
    this.fields = options.fields ?? []
  }
}
