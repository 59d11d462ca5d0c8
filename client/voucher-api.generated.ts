// Made from the OpenAPI document by `npm run client:types`. Do not edit.

import type { CallOptions } from './voucher-client.ts'

/** The values that would be accepted. Only the members that matter for the error are set. */
export type Allowed = {
  minimum?: number
  maximum?: number
  /** Characters. */
  min_length?: number
  /** Characters. */
  max_length?: number
  /** Bytes in UTF-8. */
  max_bytes?: number
  min_items?: number
  max_items?: number
  /** JSON types: integer, string, … */
  types?: Array<string>
  /** All accepted values. */
  values?: Array<string>
  /** All accepted names of fields. */
  fields?: Array<string>
  /** The accepted name that is most like the one that was sent. */
  nearest?: string
  /** A format of JSON Schema, such as date-time or uuid. */
  format?: string
  /** A regular expression. */
  pattern?: string
  example?: string
}

export type InvalidField = {
  /** The name of the field, such as qos.down_kbps, names[3] or Idempotency-Key. It is body, query or request if no single field is the problem, and ? if the name has unusual characters. */
  field: string
  code: "required" | "unknown_field" | "wrong_type" | "repeated" | "out_of_range" | "too_short" | "too_long" | "too_many_bytes" | "too_few" | "too_many" | "not_one_of" | "bad_format" | "unprintable" | "time_missing" | "time_zone_missing" | "not_a_time" | "time_zone_unknown" | "slip_code_missing" | "wifi_password_invalid" | "in_the_past" | "before_valid_until" | "too_late" | "nothing_to_change" | "not_together" | "one_of_required" | "password_common" | "not_usable"
  message: string
  allowed: Allowed | null
}

export type Problem = {
  /** New values may be added. */
  error: "administrator_needed" | "all_sites_required" | "authenticator_app_missing" | "authenticator_app_not_begun" | "authenticator_app_not_checked" | "batches_too_many" | "break_glass_needed" | "break_glass_unfit" | "certificate_pin_without_tls" | "cloud_account" | "content_type_required" | "controller_address_unreadable" | "controller_address_with_extras" | "controller_busy" | "controller_check_failed" | "controller_checks_too_many" | "controller_failed" | "controller_in_use" | "controller_name_taken" | "controller_refused" | "controller_site_not_found" | "controller_site_taken" | "controller_timeout" | "controller_unreachable" | "csv_columns_missing" | "csv_columns_repeated" | "csv_columns_unknown" | "csv_not_utf8" | "csv_too_long" | "csv_unreadable" | "daily_limit_reached" | "display_name_invalid" | "driver_not_found" | "email_invalid" | "email_taken" | "export_too_large" | "exports_too_many" | "forbidden" | "group_repeated" | "idempotency_in_progress" | "idempotency_mismatch" | "identity_missing" | "identity_needed" | "identity_other" | "identity_taken" | "import_refused" | "imports_too_many" | "invalid_request" | "key_created_before" | "key_expired" | "key_grace_passed" | "key_grace_too_long" | "key_revoked" | "key_rolled" | "last_administrator" | "last_administrator_by_groups" | "last_second_factor" | "limits_beyond_own" | "link_mail_not_set_up" | "logo_dimensions_too_large" | "logo_type_unsupported" | "logo_unreadable" | "mail_not_set_up" | "mail_password_unencrypted" | "mail_server_missing" | "mail_tests_too_many" | "method_not_allowed" | "no_voucher" | "not_found" | "origin_mismatch" | "overviews_too_many" | "own_account" | "own_factor_missing" | "passkey_counter_went_back" | "passkey_known" | "passkey_rejected" | "passkeys_elsewhere" | "passkeys_too_many" | "password_common" | "password_link_invalid" | "password_sign_in_needed" | "password_sign_in_off" | "password_too_long" | "password_too_short" | "password_wrong" | "payload_too_large" | "people_only" | "person_inactive" | "person_sites_missing" | "provider_answer_invalid" | "provider_clock_differs" | "provider_email_missing" | "provider_email_taken" | "provider_groups_missing" | "provider_groups_too_many" | "provider_missing" | "provider_organisation_wrong" | "provider_person_inactive" | "provider_sign_in_cancelled" | "provider_sign_in_expired" | "provider_unreachable" | "rate_limited" | "recording_failed" | "recovery_code_wrong" | "rights_beyond_own" | "rights_from_groups" | "role_missing" | "search_too_slow" | "searches_too_many" | "second_factor_missing" | "second_factor_wrong" | "second_step_ended" | "server_error" | "session_ended" | "setting_fixed" | "setup_done" | "setup_token_expired" | "setup_token_invalid" | "sign_in_again" | "sign_in_again_otherwise" | "sign_in_failed" | "sign_in_unencrypted" | "sign_ins_too_many" | "site_in_use" | "site_inactive" | "site_numbers_used_up" | "slips_not_drawn" | "template_name_taken" | "time_zone_fixed" | "unauthorized" | "unavailable" | "username_not_supported" | "username_required" | "username_without_secret" | "valid_until_not_earlier" | "valid_until_not_later" | "valid_until_too_late" | "voucher_being_revoked" | "voucher_ended" | "voucher_still_valid" | "vouchers_too_many" | "webhook_disabled" | "webhook_name_taken" | "webhook_tests_too_many" | "webhook_unsigned" | "webhook_url_forbidden" | "webhook_url_unreadable" | "webhook_url_with_credentials" | "webhooks_of_all_sites_too_many" | "webhooks_of_site_too_many" | "withdrawals_too_many"
  /** A message for people, in English, or in German if Accept-Language prefers it. */
  message: string
  /** The id of the request. Tell it to the operator. X-Request-Id has the same value. */
  request_id: string
  /** Every invalid field. Only if fields are the problem. */
  errors?: Array<InvalidField>
}

export type Identity = {
  issuer: string
  /** The e-mail address that the provider sent at the last sign-in, or when the account was linked. Null if it sent none. */
  email: string | null
  linked_at: string
  /** When the person last signed in with the provider. */
  last_sign_in_at: string | null
}

export type Person = {
  kind: "staff"
  id: string
  name: string
  email: string
  /** Each role includes those before it. */
  role: "desk" | "manager" | "admin"
  /** True if the person may use all sites, including later ones. */
  all_sites: boolean
  /** The sites of the person. Empty if `all_sites` is true. */
  site_ids: Array<number>
  language: "de" | "en" | null
  theme: "light" | "dark" | "auto"
  limits: {
    requests_per_minute: number
    /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
    vouchers_per_day: number | null
    /** The longest duration of a voucher in minutes. Null: no limit. */
    longest_minutes: number | null
  }
  /** False if the person has not set a password and signs in only with the provider. */
  has_password: boolean
  /** The account of the provider that is linked to the person. Null if there is none. */
  identity: Identity | null
  /** True if each sign-in with the provider replaces role and sites with those of the groups of the person. */
  rights_from_groups: boolean
}

/** The house that runs the service. A slip shows its name, and its logo if the site has none. */
export type House = {
  /** The name of the house. Null if none was set. */
  name: string | null
  /** The logo of the house. Null if there is none. */
  logo: {
    /** Anybody may load it. */
    url: string
    width: number
    height: number
  } | null
}

export type Session = {
  person: Person | null
  /** True until the first administrator exists. */
  setup_open: boolean
  /** How the connection is protected. `local`: the browser runs on the machine of the service. */
  transport: "encrypted" | "local" | "unencrypted_allowed" | "unencrypted_refused"
  /** PUBLIC_URL: the address at which people open the web app. */
  public_url: string | null
  house: House
  /** People share this browser: it signs them out after this time without key, click or touch. Null: after 12 hours. */
  sign_out_after_minutes: number | null
  /** `second_factor`: the password was right, and the second factor is missing (`POST /session/second-factor`). `set_up`: the person must set up a second factor first. */
  step: "second_factor" | "set_up" | null
  /** Kinds of second factors that the person can use, if `step` is `second_factor`. Otherwise empty. */
  second_factors: Array<"app" | "passkey" | "recovery_code">
  /** The provider at which people can sign in: `GET /sso/start`. Null if none is configured. */
  provider: {
    /** The words on the button. */
    name: string
    /** True if the sign-in page goes to the provider without waiting for a click. */
    starts_at_once: boolean
  } | null
  /** False if only the break-glass account can sign in with a password. */
  password_sign_in: boolean
  /** True if the service can send people one-time links by e-mail: there is a mail server, a sender and PUBLIC_URL. */
  link_mail: boolean
}

export type SignIn = {
  email: string
  password: string
}

/** The password was right. The second factor is missing: `POST /session/second-factor`, within ten minutes. */
export type SecondStep = {
  kind: "second_factor"
  /** Kinds of second factors that the person can use. */
  methods: Array<"app" | "passkey" | "recovery_code">
}

export type SessionChange = {
  /** Null: nobody shares the browser. It then signs people out after 12 hours. */
  sign_out_after_minutes: number | null
}

/** The answer of the browser to the options (AuthenticationResponseJSON of WebAuthn). */
export type PasskeyAssertion = {
  /** Bytes in base64url. */
  id: string
  /** Bytes in base64url. */
  rawId: string
  type: "public-key"
  response: {
    /** Bytes in base64url. */
    clientDataJSON: string
    /** Bytes in base64url. */
    authenticatorData: string
    /** Bytes in base64url. */
    signature: string
  }
}

/** Exactly one of the fields. */
export type SecondFactor = {
  /** The six digits that the authenticator app shows. */
  code?: string
  /** A recovery code that was not used yet. Upper case, blanks and hyphens do not matter. */
  recovery_code?: string
  passkey?: PasskeyAssertion
}

/** Options of WebAuthn as JSON. Pass them to the browser as they are. They work once, for five minutes. */
export type PasskeyOptions = {
  /** Bytes in base64url. */
  challenge: string
}

/** Exactly one of the fields, and one of the methods that `POST /session/again/options` lists. */
export type SignInAgain = {
  password?: string
  /** The six digits that the authenticator app shows. */
  code?: string
  passkey?: PasskeyAssertion
}

export type SignInAgainOptions = {
  /** Any one of them is enough. A person with a second factor uses that factor. `provider`: open `/sso/start?purpose=again`. */
  methods: Array<"password" | "code" | "passkey" | "provider">
  /** Null if the person has no passkey for this address. */
  passkey_options: PasskeyOptions | null
}

export type SetupTokenCheck = {
  /** The setup token from the log, or SETUP_TOKEN. Blanks in it do not count. */
  token: string
}

export type Setup = {
  /** The setup token from the log, or SETUP_TOKEN. Blanks in it do not count. */
  token: string
  name: string
  email: string
  /** At least 12 characters, and not a common password. */
  password: string
  /** The language of the person and of the first templates. */
  language: "de" | "en"
}

export type PasswordLinkUse = {
  /** The part of the link after #. */
  token: string
  /** At least 12 characters, and not a common password. */
  new_password: string
}

export type ForgottenPassword = {
  email: string
}

export type KeyInfo = {
  kind: "key"
  id: string
  name: string
  /** Each scope includes those before it. */
  scope: "read" | "write" | "manage"
  /** True if the key may use all sites, including later ones. */
  all_sites: boolean
  /** The sites of a limited key. Empty if `all_sites` is true. */
  site_ids: Array<number>
  limits: {
    /** Null if the key has no limit. */
    requests_per_minute: number | null
    /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
    vouchers_per_day: number | null
    /** The longest duration of a voucher in minutes. Null: no limit. */
    longest_minutes: number | null
  }
  /** When the key stops working; null if it does not expire. */
  expires_at: string | null
}

/** The new values. Fields that are left out stay as they are. */
export type MyChange = {
  name?: string
  language?: "de" | "en" | null
  theme?: "light" | "dark" | "auto"
}

export type PasswordChange = {
  current_password: string
  /** At least 12 characters, and not a common password. */
  new_password: string
}

export type MySession = {
  id: string
  /** True for the session of this request. */
  current: boolean
  created_at: string
  last_seen_at: string
  address: string
  browser: string
}

export type AuthenticatorApp = {
  added_at: string
  /** How many of the ten codes are unused. */
  recovery_codes_left: number
}

export type Passkey = {
  id: string
  name: string
  added_at: string
  last_used_at: string | null
  /** When the passkey was rejected because its counter went back: somebody may have copied it. */
  counter_went_back_at: string | null
}

export type MySecondFactors = {
  app: AuthenticatorApp | null
  passkeys: Array<Passkey>
  /** True if your role needs at least one second factor. False if you signed in with the provider: your account there counts as one. */
  required: boolean
}

export type NewAuthenticatorApp = {
  /** The key to type into the app, in base32. */
  secret: string
  /** The address for the QR code. */
  uri: string
}

export type AuthenticatorAppCheck = {
  /** The six digits that the authenticator app shows. */
  code: string
}

export type RecoveryCodes = {
  /** Ten codes. Each works once, instead of a code of the app. They are shown only now. */
  recovery_codes: Array<string>
}

/** The answer of the browser to the options (RegistrationResponseJSON of WebAuthn). */
export type PasskeyAttestation = {
  /** Bytes in base64url. */
  id: string
  /** Bytes in base64url. */
  rawId: string
  type: "public-key"
  response: {
    /** Bytes in base64url. */
    clientDataJSON: string
    /** Bytes in base64url. */
    attestationObject: string
  }
}

export type NewPasskey = {
  /** A name by which you recognise the passkey. */
  name: string
  response: PasskeyAttestation
}

/** The new values. Fields that are left out stay as they are. */
export type PasskeyChange = {
  /** A name by which you recognise the passkey. */
  name?: string
}

export type LinkMessage = {
  kind: "invitation" | "password_link" | "forgotten_password"
  /** accepted: the mail server took the message; nobody knows whether it arrived. rejected: it will never take it. expired: it did not take it within a day, or before the link ended. cancelled: the link was used or replaced first. */
  state: "waiting" | "accepted" | "rejected" | "expired" | "cancelled"
  /** Why the last attempt failed. */
  failure: "not_set_up" | "address_forbidden" | "address_not_private" | "name_unknown" | "port_closed" | "no_answer" | "no_connection" | "not_smtp" | "server_refused" | "starttls_missing" | "not_tls" | "certificate_self_signed" | "certificate_expired" | "certificate_for_other_name" | "certificate_changed" | "password_unencrypted" | "sign_in_not_offered" | "sign_in_required" | "credentials_refused" | "sender_invalid" | "connection_lost" | "not_now" | "message_rejected" | null
  /** The last answer of the mail server, without addresses. A day after the outcome, only its status code is left. */
  answer: string | null
  created_at: string
  /** When the outcome was known. */
  settled_at: string | null
}

export type StaffMember = {
  id: string
  name: string
  email: string
  /** Each role includes those before it. */
  role: "desk" | "manager" | "admin"
  /** True if the person may use all sites, including later ones. */
  all_sites: boolean
  /** The sites of the person. Empty if `all_sites` is true. */
  site_ids: Array<number>
  active: boolean
  /** `invited` until the person has set a password or has an account of the provider, and again when the password has ended. */
  state: "invited" | "active" | "deactivated"
  language: "de" | "en" | null
  /** When the open one-time link of the person expires; null if there is none. */
  link_expires_at: string | null
  /** When the person last used the web app, to the minute. */
  last_seen_at: string | null
  /** The second factors that the person has set up. Empty if there is none. */
  second_factors: Array<"app" | "passkey">
  /** The last e-mail with a one-time link to the person, in the last 30 days. Null if there was none. */
  link_message: LinkMessage | null
  /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
  vouchers_per_day: number | null
  /** The longest duration of a voucher in minutes. Null: no limit. */
  longest_minutes: number | null
  created_at: string
  /** The account of the provider that is linked to the person. Null if there is none. */
  identity: Identity | null
  /** True if each sign-in with the provider replaces role and sites with those of the groups of the person. */
  rights_from_groups: boolean
}

export type NewPerson = {
  name: string
  email: string
  /** Each role includes those before it. */
  role: "desk" | "manager" | "admin"
  /** Instead of `site_ids`: all sites, including later ones. */
  all_sites?: true
  /** Administrators may use all sites and need no list. */
  site_ids?: Array<number>
  language?: "de" | "en" | null
  /** True: the service also sends the link to the person by e-mail, in their language. It needs a mail server, a sender and PUBLIC_URL. */
  send_email?: boolean
  /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
  vouchers_per_day?: number | null
  /** The longest duration of a voucher in minutes. Null: no limit. */
  longest_minutes?: number | null
}

export type PasswordLink = {
  /** The secret part of the link. It is shown only once. */
  token: string
  /** The address that the person opens. The token follows the #. */
  url: string
  expires_at: string
}

export type CreatedPerson = {
  id: string
  name: string
  email: string
  /** Each role includes those before it. */
  role: "desk" | "manager" | "admin"
  /** True if the person may use all sites, including later ones. */
  all_sites: boolean
  /** The sites of the person. Empty if `all_sites` is true. */
  site_ids: Array<number>
  active: boolean
  /** `invited` until the person has set a password or has an account of the provider, and again when the password has ended. */
  state: "invited" | "active" | "deactivated"
  language: "de" | "en" | null
  /** When the open one-time link of the person expires; null if there is none. */
  link_expires_at: string | null
  /** When the person last used the web app, to the minute. */
  last_seen_at: string | null
  /** The second factors that the person has set up. Empty if there is none. */
  second_factors: Array<"app" | "passkey">
  /** The last e-mail with a one-time link to the person, in the last 30 days. Null if there was none. */
  link_message: LinkMessage | null
  /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
  vouchers_per_day: number | null
  /** The longest duration of a voucher in minutes. Null: no limit. */
  longest_minutes: number | null
  created_at: string
  /** The account of the provider that is linked to the person. Null if there is none. */
  identity: Identity | null
  /** True if each sign-in with the provider replaces role and sites with those of the groups of the person. */
  rights_from_groups: boolean
  password_link: PasswordLink
}

/** The new values. Fields that are left out stay as they are. */
export type PersonChange = {
  name?: string
  /** Each role includes those before it. */
  role?: "desk" | "manager" | "admin"
  /** Instead of `site_ids`: all sites, including later ones. */
  all_sites?: true
  site_ids?: Array<number>
  /** False ends all sessions and the one-time link of the person, and rejects sign-ins. */
  active?: boolean
  language?: "de" | "en" | null
  /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
  vouchers_per_day?: number | null
  /** The longest duration of a voucher in minutes. Null: no limit. */
  longest_minutes?: number | null
  /** Only administrators change it. True needs a linked account of the provider; role and sites can then not be changed here. */
  rights_from_groups?: boolean
}

export type FailingMailServer = {
  failing_since: string
  /** Why the message that began to fail last was not accepted. New values may be added. */
  failure: "not_set_up" | "address_forbidden" | "address_not_private" | "name_unknown" | "port_closed" | "no_answer" | "no_connection" | "not_smtp" | "server_refused" | "starttls_missing" | "not_tls" | "certificate_self_signed" | "certificate_expired" | "certificate_for_other_name" | "certificate_changed" | "password_unencrypted" | "sign_in_not_offered" | "sign_in_required" | "credentials_refused" | "sender_invalid" | "connection_lost" | "not_now" | "message_rejected"
  /** The failure and what to do, in the language of the request. */
  message: string
  /** The last answer of the mail server, without addresses. */
  answer: string | null
  /** Number of all messages that wait, at most 50,000. */
  waiting: number
}

/** Problems that somebody should look at: at most 50 of each kind, the longest or worst first. */
export type Attention = {
  /** False if only `api` processes run. Then no site is synced, no stay ends and no notification is sent. */
  worker_running: boolean
  controllers: Array<{
    id: string
    name: string
    problem: "unreachable" | "certificate" | "sign_in_refused" | "failing"
    since: string | null
    /** Number of active sites of the person that cannot use the controller. */
    site_count: number
    /** Number of a site that cannot use the controller. */
    site_id: number
    site: string
  }>
  /** The mail server, if it has accepted no message for at least five minutes although the service tried. Only administrators see it. */
  mail: FailingMailServer | null
  webhooks: Array<{
    id: string
    name: string
    failing_since: string | null
    disabled_at: string | null
    disabled_reason: string | null
    /** Number of deliveries that have not arrived since the webhook began to fail, at most 1,000. */
    undelivered: number
  }>
  /** Keys that had more than ten requests rejected today because of their limit, and keys that expire within 14 days. Only administrators see them. */
  keys: Array<{
    id: string
    name: string
    /** Number of requests of today that were rejected because of the limit. */
    limited: number
    expires_at: string | null
    last_used_at: string | null
  }>
  /** Batches that wait for their controller. */
  batches: Array<{
    id: string
    site_id: number
    site: string
    held_up_since: string
  }>
  /** Sites whose controller has vouchers that the record has lost. */
  unrecorded: Array<{
    site_id: number
    site: string
    vouchers: number
  }>
}

export type OverviewSites = {
  /** Number of all sites of the person, active or not. */
  count: number
  busiest: Array<{
    site_id: number
    site: string
    issued: number
  }>
  /** All other sites together, so that the sum is right. */
  others: {
    count: number
    issued: number
  }
  /** All sites by number. Empty if there are more than 1,000. */
  wall: Array<{
    site_id: number
    site: string
    state: "reachable" | "unreachable" | "certificate" | "sign_in_refused" | "failing" | "unknown" | "inactive"
  }>
}

export type OverviewSite = {
  makers: Array<{
    /** `controller`: somebody created the vouchers on the controller itself. */
    kind: "key" | "staff" | "controller"
    id: string | null
    name: string | null
    issued: number
  }>
  /** All other makers together, so that the sum is right. */
  other_makers: {
    count: number
    issued: number
  }
  controller: {
    name: string
    /** The last 30 days, whatever `days` is. */
    days: Array<{
      day: string
      /** Null if the controller was not recorded yet. */
      unreachable_seconds: number | null
    }>
    unreachable_seconds: number
    observed_seconds: number
    outages: number
    /** Null while the controller is unreachable. */
    reachable_since: string | null
    synced_at: string | null
  }
}

export type Overview = {
  today: string
  /** The time zone of the days. */
  time_zone: string
  days: Array<{
    day: string
    issued: number
    /** Number of vouchers that were issued on this day and have been used since. */
    redeemed: number
  }>
  totals: {
    issued: number
    redeemed: number
    /** Number of vouchers whose minutes run out within 24 hours. */
    ending_within_24_h: number
  }
  attention: Attention
  /** The sites of the person. Null if `site_id` was given. */
  sites: OverviewSites | null
  /** The site in `site_id`. Null without `site_id`. */
  site: OverviewSite | null
}

export type Hold = {
  /** `restored`: a backup was restored. `command`: somebody held the service. `trial`: the data of another system were imported, and it still works. */
  reason: "restored" | "command" | "trial" | null
  /** When the hold began. Null if the service is not held. */
  held_since: string | null
  /** When the restored backup was taken. Null if no restored backup caused the hold. */
  backup_taken_at: string | null
}

/** The colours that the web app uses, with a contrast of at least 4.5 : 1. */
export type AccentColors = {
  accent_color: string
  /** True if white text on the colour could not be read, so that a light page uses a darker one. */
  adjusted: boolean
  /** On a light page: buttons with white text, words, and the background of chosen things. */
  light: {
    button: string
    text: string
    tint: string
  }
  /** On a dark page: buttons with white text, words, and the background of chosen things. */
  dark: {
    button: string
    text: string
    tint: string
  }
  /** The CSS that pages of the web app contain. */
  style: string
}

export type Appearance = {
  /** The name of the house. Null if none was set. */
  name: string | null
  /** The logo of the house. Null if there is none. */
  logo: {
    /** Anybody may load it. */
    url: string
    width: number
    height: number
  } | null
  /** The accent colour and what the web app makes of it. Null if none was set. */
  colors: AccentColors | null
  /** The variables of the environment that set values. */
  set_by: {
    /** `HOUSE_NAME` if this variable of the environment sets the value, which then cannot be changed here. Otherwise null. */
    name: string | null
    /** `ACCENT_COLOR` if this variable of the environment sets the value, which then cannot be changed here. Otherwise null. */
    accent_color: string | null
  }
}

/** The new values. Fields that are left out stay as they are. */
export type AppearanceChange = {
  /** The name of the house, in one line. Null: the house has none. */
  name?: string | null
  /** A colour such as `#7a1f2b`. Null: the one of the Voucher Service. */
  accent_color?: string | null
}

export type SecondFactorOfRole = {
  /** True if people with this role need a second factor. */
  required: boolean
  /** How many active people have this role. */
  people: number
  /** How many of them have a second factor. */
  with_factor: number
  /** How many of the others have no password and sign in with the provider. They need no second factor here. */
  by_provider: number
  /** The names of all others, at most 20. If a factor is required, they set one up after their next sign-in with a password. */
  without_factor: Array<string>
}

export type SecondFactorSettings = {
  roles: {
    desk: SecondFactorOfRole
    manager: SecondFactorOfRole
    admin: SecondFactorOfRole
  }
  /** True if you have a second factor, or signed in with the provider. Only then can you require one for your own role. */
  own_factor: boolean
}

export type SecondFactorRoles = {
  /** The roles that need a second factor. The others do not. */
  required: Array<"desk" | "manager" | "admin">
}

export type SignInProvider = {
  /** The word on the button of the sign-in page. */
  name: string
  issuer: string
  /** The address that you enter as the redirect address at the provider. */
  redirect_url: string
  /** True if people go to the provider without seeing the sign-in page. */
  starts_at_once: boolean
  /** `clock_differs`: the provider answers, but its clock differs by more than a minute. */
  state: "answers" | "does_not_answer" | "clock_differs"
  /** Why the provider does not answer: a code such as `ECONNREFUSED`, or a short sentence. Otherwise null. */
  reason: string | null
  /** When this process last asked the provider. */
  checked_at: string | null
  /** Since when the provider has had this state, as this process saw it. */
  since: string | null
  /** How far the clock of the provider is ahead of ours. Null if the provider did not answer. */
  clock_difference_seconds: number | null
}

export type GroupRights = {
  /** The group as the provider writes it. Entra ID sends the object ID of the group. */
  group: string
  role: "desk" | "manager" | "admin"
  /** The sites that members may use. Null: all sites, including later ones. */
  site_ids: Array<number> | null
}

export type SignInSettings = {
  /** The provider that OIDC_ISSUER names. Null if none is configured. */
  provider: SignInProvider | null
  /** The claim that lists the groups of a person. Dots lead into objects: `realm_access.roles`. */
  claim: string
  groups: Array<GroupRights>
  password_sign_in: {
    /** False: only the break-glass account can sign in with a password. */
    enabled: boolean
    /** Conditions that are not fulfilled yet for switching password sign-in off: a sign-in of an administrator by the provider in the last 24 hours, or a suitable break-glass account. */
    missing: Array<"provider_sign_in" | "break_glass_account">
  }
  /** The account that keeps its password. Null if none was chosen. */
  break_glass: {
    staff_id: string
    name: string
    email: string
    /** When somebody last signed in to it with its password. */
    last_used_at: string | null
  } | null
}

/** The new values. Fields that are left out stay as they are. */
export type SignInSettingsChange = {
  password_sign_in?: boolean
  /** An active administrator with a password. Null: no account. Only possible while password sign-in is on. */
  break_glass_id?: string | null
  starts_at_once?: boolean
}

export type SignInGroups = {
  /** The claim that lists the groups of a person. Dots lead into objects: `realm_access.roles`. */
  claim: string
  groups: Array<GroupRights>
}

export type SignInGroupsTry = {
  /** The claim that lists the groups of a person. Dots lead into objects: `realm_access.roles`. */
  claim: string
  groups: Array<GroupRights>
  /** A person. The groups are those of the last sign-in with the provider, unless `person_groups` has others. */
  email?: string
  /** Groups of the person, for somebody who has never signed in with the provider. */
  person_groups?: Array<string>
}

export type MappedRights = {
  role: "desk" | "manager" | "admin"
  /** True if the person may use all sites, including later ones. */
  all_sites: boolean
  /** Empty if `all_sites` is true. */
  site_ids: Array<number>
}

export type SignInGroupsResult = {
  /** Null if the request names nobody and no groups. */
  person: {
    /** The name, or the e-mail address of somebody who is not known. */
    name: string
    /** True if the groups of the person are known. */
    known: boolean
    /** Null: the person could not sign in. */
    role: "desk" | "manager" | "admin" | null
    all_sites: boolean
    site_ids: Array<number>
    /** The groups of the table that the person has. */
    matched: Array<string>
  } | null
  /** How many active people get their rights from groups. */
  people: number
  /** The people whose rights would change at their next sign-in, by name. */
  changes: Array<{
    id: string
    name: string
    before: MappedRights
    /** Null: the person could not sign in any more. */
    after: MappedRights | null
  }>
  /** True if no administrator would be left. Saving is then rejected. */
  last_administrator_lost: boolean
}

export type GuestDataSettings = {
  /** Names, references and everything typed about a guest are erased this many days after the end of the voucher. Null: never. */
  forget_after_days: number | null
  /** The days of an unused voucher without an end count from this many days after its creation, and it is revoked first. Null: such vouchers are left alone. */
  unused_after_days: number | null
  /** Whether ended vouchers are deleted on the controller after the same time. Vouchers that this service did not create stay there. */
  delete_on_controller: boolean
  /** Sites with other days, by name. */
  exceptions: Array<{
    site_id: number
    /** The name of the site. */
    site: string
    /** The days of this site, instead of those of all sites. Null: never. */
    forget_after_days: number | null
    /** The name of the person or key that set it. */
    changed_by: string
    changed_at: string
  }>
  /** When the worker last had forgotten all guests that were due, and how many vouchers it was about. Null: not yet. */
  last_run: {
    at: string
    vouchers: number
  } | null
}

/** The new values. Fields that are left out stay as they are. */
export type GuestDataChange = {
  /** Names, references and everything typed about a guest are erased this many days after the end of the voucher. Null: never. */
  forget_after_days?: number | null
  /** The days of an unused voucher without an end count from this many days after its creation, and it is revoked first. Null: such vouchers are left alone. */
  unused_after_days?: number | null
  /** Whether ended vouchers are deleted on the controller after the same time. Vouchers that this service did not create stay there. */
  delete_on_controller?: boolean
}

export type SiteGuestData = {
  /** The days of this site, instead of those of all sites. Null: never. */
  forget_after_days: number | null
}

/** Fields that are left out have their saved value. */
export type GuestDataPreview = {
  /** Names, references and everything typed about a guest are erased this many days after the end of the voucher. Null: never. */
  forget_after_days?: number | null
  /** The days of an unused voucher without an end count from this many days after its creation, and it is revoked first. Null: such vouchers are left alone. */
  unused_after_days?: number | null
  /** Whether ended vouchers are deleted on the controller after the same time. Vouchers that this service did not create stay there. */
  delete_on_controller?: boolean
  /** All sites with other days. Without it, the saved ones. */
  exceptions?: Array<{
    site_id: number
    /** The days of this site, instead of those of all sites. Null: never. */
    forget_after_days: number | null
  }>
}

export type GuestDataCounts = {
  /** How many different names of a site would be erased. */
  guests: number
  /** How many vouchers have these names. */
  vouchers: number
  /** On how many sites. */
  sites: number
  /** How many unused vouchers without an end would be revoked. A later run erases their names. */
  revoked: number
  /** True if counting stopped at 100,000 vouchers. */
  has_more: boolean
}

export type MailServer = {
  host: string
  /** By default 587, 465 for `tls`, and 25 for `none`. */
  port: number
  /** `starttls`: required, never only tried. `tls`: from the start. `none`: only for private addresses, and never with a password. */
  security: "starttls" | "tls" | "none"
  /** Null: the server asks for no sign-in. */
  username: string | null
  /** Whether a password is stored. */
  password_set: boolean
  /** SHA-256 of the only certificate that is accepted. Null: a certificate authority must have signed the certificate for this host. */
  certificate_pin: string | null
}

export type MailSender = {
  name: string
  address: string
  /** Where answers of guests go. Null: to `address`. */
  reply_to: string | null
}

export type MailSettings = {
  /** The mail server. Null: the service sends no e-mail. */
  server: MailServer | null
  /** The sender of all sites that are not in `senders`. Null: nobody has set it. */
  sender: MailSender | null
  /** Sites with a sender of their own, by name. */
  senders: Array<{
    site_id: number
    site: string
    sender: MailSender
  }>
  /** The variables of the environment that set values. */
  set_by: {
    /** `MAIL_SERVER` if this variable of the environment sets the value, which then cannot be changed here. Otherwise null. */
    server: string | null
    /** `MAIL_FROM` if this variable of the environment sets the value, which then cannot be changed here. Otherwise null. */
    sender: string | null
  }
}

/** The new values. Fields that are left out stay as they are. */
export type MailServerChange = {
  host?: string
  /** By default 587, 465 for `tls`, and 25 for `none`. */
  port?: number
  /** `starttls`: required, never only tried. `tls`: from the start. `none`: only for private addresses, and never with a password. */
  security?: "starttls" | "tls" | "none"
  /** Null: the server asks for no sign-in. */
  username?: string | null
  /** The password at the mail server. No answer contains it. */
  password?: string
  /** SHA-256 of the only certificate that is accepted. Null: a certificate authority must have signed the certificate for this host. */
  certificate_pin?: string | null
}

export type MailServerToTest = {
  host?: string
  /** By default 587, 465 for `tls`, and 25 for `none`. */
  port?: number
  /** `starttls`: required, never only tried. `tls`: from the start. `none`: only for private addresses, and never with a password. */
  security?: "starttls" | "tls" | "none"
  /** Null: the server asks for no sign-in. */
  username?: string | null
  /** The password at the mail server. No answer contains it. */
  password?: string
  /** SHA-256 of the only certificate that is accepted. Null: a certificate authority must have signed the certificate for this host. */
  certificate_pin?: string | null
  /** The address that gets the test message. Default: that of the signed-in person. An API key must give one. */
  to?: string
}

export type CheckedMailLine = {
  line: "name" | "connection" | "encryption" | "sign_in" | "message"
  /** `skipped`: the line was not tried, because an earlier one failed or something is missing. */
  result: "ok" | "failed" | "skipped"
  /** Null if the line was not tried. */
  duration_ms: number | null
  /** Why the line failed or was skipped. New values may be added. */
  cause: "address_forbidden" | "address_not_private" | "name_unknown" | "port_closed" | "no_answer" | "no_connection" | "not_smtp" | "server_refused" | "starttls_missing" | "not_tls" | "certificate_self_signed" | "certificate_expired" | "certificate_for_other_name" | "certificate_changed" | "password_unencrypted" | "sign_in_not_offered" | "sign_in_required" | "credentials_refused" | "sender_invalid" | "connection_lost" | "not_now" | "message_rejected" | "password_missing" | "password_not_reused" | null
  /** The cause and what to do, in the language of the request. */
  message: string | null
  /** The answer of the mail server in its own words. Addresses and the password in it are replaced by `***`. */
  answer: string | null
}

export type MailCertificate = {
  /** SHA-256 of the certificate. Send it as `certificate_pin` to trust the certificate. */
  fingerprint: string
  subject: string
  valid_until: string | null
  trust: "public" | "pinned" | "untrusted"
}

export type MailServerTest = {
  /** Whether the mail server has accepted the test message. It may not have arrived yet. */
  ok: boolean
  host: string
  port: number
  /** The address of the test message. */
  to: string
  /** The lines, in the order in which they were tried. */
  lines: Array<CheckedMailLine>
  /** The IP addresses of the host. */
  addresses: Array<string>
  /** The version of TLS. Null: the connection was not encrypted. */
  protocol: string | null
  /** The certificate that the mail server shows. Null: none was read. */
  certificate: MailCertificate | null
}

export type GuestSearch = {
  query: string
}

export type FoundGuest = {
  site_id: number
  /** The name as it is stored, without a date: upper and lower case matter. */
  name: string
  /** The name of the site. */
  site: string
  /** The newest reference. */
  reference: string | null
  /** How many vouchers have the name now, or had it when they were created. */
  vouchers: number
  /** How many of them still work. */
  valid: number
  /** When the newest voucher or list with this guest was created. */
  last_at: string
}

export type FoundGuests = {
  /** A guest is a name at a site. Those with the newest voucher come first. */
  guests: Array<FoundGuest>
  /** True if there are more than 50 guests. */
  has_more: boolean
}

export type Guests = {
  guests: Array<{
    site_id: number
    /** The name as it is stored, without a date: upper and lower case matter. */
    name: string
  }>
}

export type StoredPlace = {
  /** `creations`: requests of the last day. `batches`: lists with a reference of their own, which is erased with their last guest. `messages`: e-mails to the guest, until their address is erased. `events`: what a webhook gets or got. `controller`: vouchers that may still be on the controller, with the name in their note. */
  place: "vouchers" | "creations" | "batch_rows" | "batches" | "messages" | "events" | "controller"
  /** The name of the webhook, for events. Otherwise null. */
  webhook: string | null
  fields: Array<"name" | "reference" | "email">
  entries: number
  /** When the rules erase the last entry. Null if that is not known. */
  until: string | null
}

export type StoredGuestData = {
  /** The sum of all places. */
  entries: number
  /** How many vouchers still work. */
  valid: number
  /** Only places that have something. */
  places: Array<StoredPlace>
}

export type GuestErasure = {
  guests: Array<{
    site_id: number
    /** The name as it is stored, without a date: upper and lower case matter. */
    name: string
  }>
  /** Why the guest is erased: one of these values. A text of your own is not possible, because it could contain the name. */
  reason: "guest_asked" | "mistake" | "other"
  /** What happens if a voucher still works: `refuse` erases nothing and answers 409, `after_end` erases it after its end. */
  valid: "refuse" | "after_end"
}

export type ErasureResult = {
  id: string
  at: string
  /** The name of the person, key or command that erased. */
  by: string
  /** Why the guest is erased: one of these values. A text of your own is not possible, because it could contain the name. */
  reason: "guest_asked" | "mistake" | "other"
  /** How many vouchers the erasure is about. */
  vouchers: number
  /** How many entries were erased, in all places. */
  entries: number
  /** How many vouchers, requests and rows of lists are not erased yet. The worker erases them after their end. */
  waiting: number
  /** Null while something waits. */
  finished_at: string | null
  /** What is still stored, for example on the controller. */
  remains: Array<StoredPlace>
}

export type Erasure = {
  id: string
  at: string
  /** The name of the person, key or command that erased. */
  by: string
  /** Why the guest is erased: one of these values. A text of your own is not possible, because it could contain the name. */
  reason: "guest_asked" | "mistake" | "other"
  /** How many vouchers the erasure is about. */
  vouchers: number
  /** How many entries were erased, in all places. */
  entries: number
  /** How many vouchers, requests and rows of lists are not erased yet. The worker erases them after their end. */
  waiting: number
  /** Null while something waits. */
  finished_at: string | null
}

export type ErasureList = {
  erasures: Array<Erasure>
  /** Cursor of the next page; null on the last one. */
  next_cursor: string | null
}

export type Site = {
  id: number
  name: string
  /** Vouchers can be created only on an active site. */
  active: boolean
  /** `certificate`: the certificate of the controller is not trusted. `failing`: the controller answers, but the site cannot be synced. `unknown`: never synced. */
  state: "reachable" | "unreachable" | "certificate" | "sign_in_refused" | "failing" | "unknown" | "inactive"
  /** Whether the controller of the site answered the last call. */
  reachable: boolean
  unreachable_since: string | null
  /** Why the controller cannot be reached. Null if it can be reached, or if the reason is unknown. */
  unreachable_reason: "name_unknown" | "connection_refused" | "no_answer" | "certificate_changed" | "certificate_untrusted" | "address_forbidden" | "broken" | null
  controller_id: string
  controller_name: string
  synced_at: string | null
  /** Why the last sync with the controller failed, in one word. */
  sync_failure: string | null
  /** When the syncs began to fail. */
  sync_failing_since: string | null
  /** Number of vouchers that were created in the last 30 days. */
  recent_vouchers: number
  /** Number of vouchers on the controller that this service seems to have created but that are missing in its record, e.g. after a restored backup. The operator can list them with `voucher-service reconcile`. */
  unrecorded_vouchers: number
  /** The time zone of the site. */
  time_zone: string
}

export type SitesInState = {
  state: "reachable" | "unreachable" | "certificate" | "sign_in_refused" | "failing" | "unknown" | "inactive"
  count: number
}

export type FailingSites = {
  state: "unreachable" | "certificate" | "sign_in_refused" | "failing"
  controller_id: string
  controller_name: string
  since: string | null
  /** Why the controller cannot be reached. Null if it can be reached, or if the reason is unknown. */
  reason: "name_unknown" | "connection_refused" | "no_answer" | "certificate_changed" | "certificate_untrusted" | "address_forbidden" | "broken" | null
  site_count: number
  /** One of the sites. */
  site_id: number
}

export type SitesSummary = {
  /** Number of all sites of the key or person, active or not, whatever the filters are. */
  count: number
  /** Number of sites in each state. States that no site has are left out. */
  states: Array<SitesInState>
  /** The causes of failures: sites of one controller that fail in the same way. At most 50, most sites first. */
  failing: Array<FailingSites>
}

export type NewSite = {
  name: string
  controller_id: string
  /** The id of the site on the controller. If the site has several ids, the service stores the first. Default: default. */
  controller_site?: string
  /** Vouchers can be created only on an active site. Default: true. */
  active?: boolean
  /** Whether to record vouchers that others create on the controller. Default: false. */
  adopts_vouchers?: boolean
  /** If true, the service does not ask the controller whether it has the site. Then controller_site must be the id that `GET /controllers/{id}/sites` shows. Default: false. */
  unchecked?: boolean
}

export type SiteSettings = {
  id: number
  name: string
  active: boolean
  controller_id: string
  /** The id of the site on its controller. */
  controller_site: string
  /** Whether vouchers that others create on the controller are recorded. */
  adopts_vouchers: boolean
  /** Whether names on the controller get a tag that identifies the vouchers of this service. */
  tags_names: boolean
  /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
  vouchers_per_day: number | null
  /** The longest duration of a voucher in minutes. Null: no limit. */
  longest_minutes: number | null
  created_at: string
}

export type RecordedSite = {
  id: number
  name: string
}

export type SiteImportRow = {
  /** The last line of the row in the file. */
  line: number
  name: string
  /** In a check, `added` means: would be added. */
  outcome: "added" | "exists" | "refused"
  /** Why the row is refused, such as controller_not_found; otherwise null. */
  code: string | null
  /** The column that is wrong, if it is a single one. */
  column: string | null
  /** The value that is wrong, such as the name of an unknown controller. */
  value: string | null
  /** The line that the row repeats. */
  other_line: number | null
  /** The site that is already recorded for this site of the controller, under another name. */
  site: RecordedSite | null
}

export type SiteImport = {
  added: number
  existing: number
  refused: number
  rows: Array<SiteImportRow>
}

/** The new values. Fields that are left out stay as they are. */
export type SiteChange = {
  name?: string
  /** Vouchers can be created only on an active site. */
  active?: boolean
  /** Whether to record vouchers that others create on the controller. */
  adopts_vouchers?: boolean
  /** Whether to append a short tag to each name on the controller. */
  tags_names?: boolean
  /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
  vouchers_per_day?: number | null
  /** The longest duration of a voucher in minutes. Null: no limit. */
  longest_minutes?: number | null
}

export type NamedItem = {
  id: string
  name: string
}

/** Numbers of keys, webhooks and people. `limited`: with some sites, including this one. `all_sites`: with all sites. */
export type EffectCounts = {
  keys: number
  webhooks: number
  people: number
}

export type SiteEffects = {
  /** The first 50 keys that are limited to some sites, including this one. */
  keys: Array<NamedItem>
  /** The first 50 webhooks that are limited to some sites, including this one. */
  webhooks: Array<NamedItem>
  /** The first 50 people who are limited to some sites, including this one. */
  people: Array<NamedItem>
  limited: EffectCounts
  all_sites: EffectCounts
  /** Number of vouchers of the site that are valid now. They stay valid. */
  valid_vouchers: number
}

export type SyncRequest = {
  site_id: number
  /** The time of the request. The sync is done when `synced_at` of the site is not before this time. */
  requested_at: string
}

export type DayLimit = {
  /** Whose limit it is: yours, or that of the site. */
  of: "person" | "key" | "site"
  /** Vouchers a day. */
  limit: number
  /** How many vouchers can still be created today. */
  left: number
  /** When the day ends. */
  until: string
}

export type Issuing = {
  /** The longest duration of a voucher in minutes: the shorter one of yours and that of the site. */
  longest_minutes: number | null
  /** Empty if there is no limit a day. A voucher needs to fit into each of them. */
  day_limits: Array<DayLimit>
}

export type GuestInfo = {
  site_id: number
  /** The name of the guest Wi-Fi: 1 to 32 bytes in UTF-8. Null: none. */
  wifi_name: string | null
  /** True if devices do not show the name, so that guests must type it. */
  wifi_hidden: boolean
  /** The languages of a slip, in this order. Empty: the person who prints chooses. */
  guest_languages: Array<"de" | "en" | "fr" | "it" | "nl" | "es" | "pl" | "cs" | "pt" | "da" | "sv" | "nb" | "fi" | "hu" | "ro" | "hr" | "tr" | "el" | "uk" | "ru">
  /** A line at the end of a slip. Null: none. */
  footer: string | null
  /** True: each language of the slip has a slip of its own. False: one slip has all of them. */
  slip_per_language: boolean
  /** Whether slips that API keys download have the Wi-Fi password. Only people may allow it. */
  slip_password_for_keys: boolean
  /** How many days after `valid_until` a client should set `extendable_until` of a new stay. The service does not set it. */
  room_days: number
  /** The lines of a slip in their order. `code` must be one of them. */
  slip_lines: Array<"logo" | "heading" | "house" | "wifi_name" | "wifi_password" | "wifi_qr" | "code" | "validity" | "name" | "footer">
  /** The password of the guest Wi-Fi. Only people get it. It is always null for API keys. */
  wifi_password: string | null
  /** Whether a Wi-Fi password is stored. */
  wifi_password_set: boolean
  time_zone: string
  /** Whether `time_zone` is that of the service. */
  time_zone_is_default: boolean
  /** Null if the site has no logo. */
  logo_updated_at: string | null
  /** Whether messages can be sent to guests: there is a mail server, and a sender for the site. */
  can_send_email: boolean
  house: House
}

/** The new values. Fields that are left out stay as they are. */
export type GuestInfoChange = {
  /** The name of the guest Wi-Fi: 1 to 32 bytes in UTF-8. Null: none. */
  wifi_name?: string | null
  /** The password of the guest Wi-Fi: 8 to 63 printable ASCII characters, or 64 hexadecimal digits. It is encrypted. Null: none. */
  wifi_password?: string | null
  /** True if devices do not show the name, so that guests must type it. */
  wifi_hidden?: boolean
  /** A name of the IANA database. Null: the time zone of the service. */
  time_zone?: string | null
  /** The languages of a slip, in this order. Empty: the person who prints chooses. */
  guest_languages?: Array<"de" | "en" | "fr" | "it" | "nl" | "es" | "pl" | "cs" | "pt" | "da" | "sv" | "nb" | "fi" | "hu" | "ro" | "hr" | "tr" | "el" | "uk" | "ru">
  /** A line at the end of a slip. Null: none. */
  footer?: string | null
  /** The lines of a slip in their order. `code` must be one of them. Null: all lines in the usual order. */
  slip_lines?: Array<"logo" | "heading" | "house" | "wifi_name" | "wifi_password" | "wifi_qr" | "code" | "validity" | "name" | "footer"> | null
  /** True: each language of the slip has a slip of its own. False: one slip has all of them. */
  slip_per_language?: boolean
  /** Whether slips that API keys download have the Wi-Fi password. Only people may allow it. */
  slip_password_for_keys?: boolean
  /** How many days after `valid_until` a client should set `extendable_until` of a new stay. The service does not set it. */
  room_days?: number
}

export type SlipPreviewRequest = {
  paper: "a4-cards" | "a4" | "a5" | "80mm" | "58mm" | "62x100mm"
  /** The lines of a slip in their order. `code` must be one of them. */
  slip_lines?: Array<"logo" | "heading" | "house" | "wifi_name" | "wifi_password" | "wifi_qr" | "code" | "validity" | "name" | "footer">
  slip_per_language?: boolean
  /** Empty: your language. */
  guest_languages?: Array<"de" | "en" | "fr" | "it" | "nl" | "es" | "pl" | "cs" | "pt" | "da" | "sv" | "nb" | "fi" | "hu" | "ro" | "hr" | "tr" | "el" | "uk" | "ru">
  /** True: the guest has a very long name. */
  long_name?: boolean
}

export type SlipPreview = {
  /** A PNG in shades of gray, in Base64. */
  image: string
  /** The width of the paper. */
  width_mm: number
  /** The length that the paper will have. */
  height_mm: number
  /** Letters that the font lacks, by line. A question mark is printed for each. */
  missing: Array<{
    line: "logo" | "heading" | "house" | "wifi_name" | "wifi_password" | "wifi_qr" | "code" | "validity" | "name" | "footer"
    letters: Array<string>
  }>
}

export type Controller = {
  id: string
  name: string
  driver: string
  address: string
  /** SHA-256 of the only certificate that is accepted. */
  certificate_pin: string | null
  /** Whether credentials are stored. They cannot be read. */
  has_secret: boolean
  /** The user name, for drivers that sign in with a password; otherwise null. */
  username: string | null
  /** Number of sites on this controller. */
  sites: number
  /** The state of the controller at the last calls. `unknown`: none of its sites was synced yet. */
  state: "unknown" | "reachable" | "unreachable" | "certificate" | "sign_in_refused"
  /** Since when the controller is unreachable or rejects the sign-in. */
  failing_since: string | null
  /** Why the controller cannot be reached. Null if it can be reached, or if the reason is unknown. */
  unreachable_reason: "name_unknown" | "connection_refused" | "no_answer" | "certificate_changed" | "certificate_untrusted" | "address_forbidden" | "broken" | null
  /** The service does not sign in before this time, because the last sign-in was rejected. */
  sign_in_paused_until: string | null
  created_at: string
}

export type NewController = {
  name: string
  driver: string
  address: string
  /** SHA-256 of the only certificate to accept. Null: certificates of public certificate authorities are accepted. */
  certificate_pin?: string | null
  /** The user name, for drivers that sign in with a password. */
  username?: string
  /** The API key or password. The service encrypts it and never shows it again. */
  secret: string
}

export type ControllerToCheck = {
  /** A recorded controller. Other fields replace what is recorded. The recorded secret is sent only to the recorded address and certificate. */
  controller_id?: string
  /** Required without `controller_id`. */
  driver?: string
  address?: string
  /** SHA-256 of the only certificate to accept. Null: certificates of public certificate authorities are accepted. */
  certificate_pin?: string | null
  /** The user name, for drivers that sign in with a password. */
  username?: string
  /** The API key or password. The service encrypts it and never shows it again. */
  secret?: string
  /** The site to test. Without it, the first site that the account can see is tested. */
  controller_site?: string
}

export type CheckedLayer = {
  layer: "name" | "connection" | "certificate" | "sign_in" | "permission" | "site"
  /** `skipped`: the layer was not tried, because an earlier one failed or something is missing. */
  result: "ok" | "failed" | "skipped"
  /** Null if the layer needed no request of its own. */
  duration_ms: number | null
  /** Why the layer failed or was skipped. New values may be added. */
  cause: "address_forbidden" | "name_unknown" | "port_closed" | "no_answer" | "no_connection" | "not_tls" | "tls_required" | "plain_http" | "certificate_self_signed" | "certificate_expired" | "certificate_for_other_name" | "certificate_changed" | "credentials_missing" | "credentials_not_reused" | "credentials_refused" | "cloud_account" | "second_factor" | "sign_ins_too_many" | "no_permission" | "site_missing" | "no_sites" | "wrong_driver" | "controller_busy" | "controller_failed" | null
  /** The cause and what to do, in the language of the request. */
  message: string | null
}

export type CheckedCertificate = {
  /** SHA-256 of the certificate. Send it as `certificate_pin` to trust the certificate. */
  fingerprint: string
  subject: string
  valid_until: string | null
  /** `public`: a public certificate authority has signed the certificate. `pinned`: it is the one in `certificate_pin`. */
  trust: "public" | "pinned" | "untrusted"
}

export type ControllerSite = {
  /** The id of the site on the controller. To add the site, send it as `controller_site`. */
  controller_site: string
  name: string
}

export type ControllerCheck = {
  /** Whether all layers were tested and none failed. The test only reads, so it does not prove that vouchers can be created. */
  ok: boolean
  driver: string
  /** The address in the form in which it is stored. */
  address: string
  /** The layers, in the order in which they were tried. */
  layers: Array<CheckedLayer>
  /** The IP addresses of the host name. */
  addresses: Array<string>
  port: number | null
  /** The certificate that the controller shows. Null: none was read. */
  certificate: CheckedCertificate | null
  /** The version of the controller, if the account may read it. */
  version: string | null
  /** The sites that the account can see. Null: they could not be read. */
  sites: Array<ControllerSite> | null
}

/** The new values. Fields that are left out stay as they are. */
export type ControllerChange = {
  name?: string
  address?: string
  /** SHA-256 of the only certificate to accept. Null: certificates of public certificate authorities are accepted. */
  certificate_pin?: string | null
  /** The user name, for drivers that sign in with a password. */
  username?: string
  /** The API key or password. The service encrypts it and never shows it again. */
  secret?: string
}

export type OfferedSite = {
  /** The id of the site on the controller. To add the site, send it as `controller_site`. */
  controller_site: string
  name: string
  /** The number of the site of this service that uses it; null if none does. */
  site_id: number | null
}

export type NewControllerSites = {
  /** The ids of the sites on the controller. Without this field, all sites of the controller are added, at most 5,000 at once. */
  controller_sites?: Array<string>
  /** The names of sites that should not have the name that they have on the controller. */
  names?: Array<{
    controller_site: string
    name: string
  }>
}

export type Template = {
  id: string
  /** The site of the template. Null if the template can be used on every site. */
  site_id: number | null
  name: string
  /** Whether the name only says the duration, in English or German. A page can then write the duration in the language of its reader. */
  automatic_name: boolean
  /** 0 means any number of devices. */
  max_uses: number
  /** Minutes from the first use. */
  expire_minutes: number
  /** 0 means no limit. */
  qos: {
    down_kbps: number
    up_kbps: number
    quota_mb: number
  }
  /** Days after which a voucher is withdrawn if nobody has used it. Null: never. */
  unused_days: number | null
  /** Whether the desk begins with this template. The default of a site takes precedence over the default for all sites. */
  is_default: boolean
}

export type NewTemplate = {
  /** The site of the template. Without it, or null: all sites, which needs a key for all sites or an administrator. */
  site_id?: number | null
  /** Empty: the name is made from the duration, such as "1 day", and changes with it. */
  name?: string
  /** Minutes from the first use. */
  expire_minutes: number
  /** 0 means any number of devices. Default: 1. */
  max_uses?: number
  /** 0 means no limit. */
  qos?: {
    down_kbps?: number
    up_kbps?: number
    quota_mb?: number
  }
  /** Days after which a voucher is withdrawn if nobody has used it. Null: never. */
  unused_days?: number | null
}

/** The new values. Fields that are left out stay as they are. */
export type TemplateChange = {
  /** Empty: the name is made from the duration, such as "1 day", and changes with it. */
  name?: string
  /** Minutes from the first use. */
  expire_minutes?: number
  /** 0 means any number of devices. */
  max_uses?: number
  /** 0 means no limit. */
  qos?: {
    down_kbps?: number
    up_kbps?: number
    quota_mb?: number
  }
  /** Days after which a voucher is withdrawn if nobody has used it. Null: never. */
  unused_days?: number | null
  /** True: the template that was the default of the same sites is not any more. */
  is_default?: boolean
  /** Moves the template before the one with this id. Null: moves it to the end. */
  before?: string | null
}

export type LastFailure = {
  at: string
  /** The status of the answer; null if none came. */
  status: number | null
  /** Why the attempt failed; null if the event arrived. */
  failure: "status" | "timeout" | "name" | "tls" | "refused" | "connection" | "incomplete" | "forbidden" | "secrets" | null
  /** The technical error, such as ECONNREFUSED. */
  error: string | null
  /** The first line of the answer. Null for keys that are limited to some sites, and for people who are not administrators. */
  answer: string | null
  duration_ms: number
}

export type Webhook = {
  id: string
  name: string
  format: "generic" | "slack" | "mattermost" | "rocket-chat" | "discord" | "teams"
  events: Array<"voucher.created" | "voucher.first_used" | "voucher.expired" | "voucher.revoked" | "batch.finished" | "controller.unreachable" | "controller.reachable">
  /** The language of sentences in chats. */
  language: "de" | "en"
  all_sites: boolean
  /** Empty if `all_sites` is true. */
  site_ids: Array<number>
  /** Whether events are signed with a secret. */
  signed: boolean
  /** Until when events are also signed with the previous secret. Null if there is none. */
  previous_secret_until: string | null
  /** When the last event arrived; null while deliveries fail, or if none arrived in the last 30 days. */
  last_delivered_at: string | null
  /** When deliveries began to fail; null while they arrive. */
  failing_since: string | null
  /** The last failed attempt, while deliveries fail or the webhook is disabled. */
  last_failure: LastFailure | null
  /** When a webhook that fails will be disabled, unless a delivery succeeds before. */
  disabled_from: string | null
  /** When the webhook was disabled. Null if it is enabled. */
  disabled_at: string | null
  /** `gone`: the receiver answered 410. `failing`: every attempt failed for five days. */
  disabled_cause: "gone" | "failing" | null
  disabled_reason: string | null
  created_at: string
}

export type NewWebhook = {
  /** The address to which events are sent. It is encrypted and never shown again. */
  url: string
  /** Default: voucher.created. */
  events?: Array<"voucher.created" | "voucher.first_used" | "voucher.expired" | "voucher.revoked" | "batch.finished" | "controller.unreachable" | "controller.reachable">
  /** Only these sites. Without it: all sites, including later ones, which needs a key for all sites or an administrator. */
  site_ids?: Array<number>
  /** A name that is unique among all webhooks. Without it, the name is the format and some random characters. */
  name?: string
  /** Default: generic. */
  format?: "generic" | "slack" | "mattermost" | "rocket-chat" | "discord" | "teams"
  /** The language of sentences in chats. Default: de. */
  language?: "de" | "en"
}

export type CreatedWebhook = {
  id: string
  name: string
  format: "generic" | "slack" | "mattermost" | "rocket-chat" | "discord" | "teams"
  events: Array<"voucher.created" | "voucher.first_used" | "voucher.expired" | "voucher.revoked" | "batch.finished" | "controller.unreachable" | "controller.reachable">
  /** The language of sentences in chats. */
  language: "de" | "en"
  all_sites: boolean
  /** Empty if `all_sites` is true. */
  site_ids: Array<number>
  /** Whether events are signed with a secret. */
  signed: boolean
  /** Until when events are also signed with the previous secret. Null if there is none. */
  previous_secret_until: string | null
  /** When the last event arrived; null while deliveries fail, or if none arrived in the last 30 days. */
  last_delivered_at: string | null
  /** When deliveries began to fail; null while they arrive. */
  failing_since: string | null
  /** The last failed attempt, while deliveries fail or the webhook is disabled. */
  last_failure: LastFailure | null
  /** When a webhook that fails will be disabled, unless a delivery succeeds before. */
  disabled_from: string | null
  /** When the webhook was disabled. Null if it is enabled. */
  disabled_at: string | null
  /** `gone`: the receiver answered 410. `failing`: every attempt failed for five days. */
  disabled_cause: "gone" | "failing" | null
  disabled_reason: string | null
  created_at: string
  /** The secret that signs every event. Null for chats, because their address is itself a secret. */
  secret: string | null
}

/** The new values. Fields that are left out stay as they are. */
export type WebhookChange = {
  /** A name that is unique among all webhooks. */
  name?: string
  /** The address to which events are sent. It is encrypted and never shown again. */
  url?: string
  events?: Array<"voucher.created" | "voucher.first_used" | "voucher.expired" | "voucher.revoked" | "batch.finished" | "controller.unreachable" | "controller.reachable">
  /** Only these sites. Null: all sites, including later ones, which needs a key for all sites or an administrator. Deliveries of other sites are hidden and not sent, and are deleted a few minutes later. */
  site_ids?: Array<number> | null
  /** The language of sentences in chats. */
  language?: "de" | "en"
}

export type WebhookTest = {
  /** Whether the receiver answered with a status of 2xx. */
  arrived: boolean
  /** The status of the answer; null if none came. */
  status: number | null
  /** Why the attempt failed; null if the event arrived. */
  failure: "status" | "timeout" | "name" | "tls" | "refused" | "connection" | "incomplete" | "forbidden" | "secrets" | null
  /** The technical error, such as ECONNREFUSED. */
  error: string | null
  /** The first line of the answer. Null for keys that are limited to some sites, and for people who are not administrators. */
  answer: string | null
  duration_ms: number
}

export type RotatedSecret = {
  secret: string
  previous_secret_until: string
}

export type Attempt = {
  attempt: number
  started_at: string
  /** The status of the answer; null if none came. */
  status: number | null
  /** Why the attempt failed; null if the event arrived. */
  failure: "status" | "timeout" | "name" | "tls" | "refused" | "connection" | "incomplete" | "forbidden" | "secrets" | null
  /** The technical error, such as ECONNREFUSED. */
  error: string | null
  /** The first line of the answer. Null for keys that are limited to some sites, and for people who are not administrators. */
  answer: string | null
  duration_ms: number
}

export type Delivery = {
  id: string
  /** The id of the event. The receiver gets it in the header `webhook-id`. */
  event_id: string
  /** The type of the event. */
  type: string
  /** `pending`: the delivery waits for its next attempt. `failed`: the delivery was given up. */
  state: "pending" | "delivered" | "failed"
  created_at: string
  /** Number of failed attempts since the delivery was created or replayed. */
  failed_attempts: number
  /** The delivery is given up after this many failed attempts. */
  max_attempts: number
  next_attempt_at: string | null
  /** The last 30 attempts, oldest first. */
  attempts: Array<Attempt>
}

/** Exactly one of the fields. */
export type Replay = {
  /** Replays this delivery, whatever its state. Its `event_id` works too. */
  delivery_id?: string
  /** Replays all failed deliveries of events since this time, at most 10,000. */
  failed_since?: string
}

export type OldSecret = {
  /** The first characters of the secret. They are not secret, and the log shows them. */
  prefix: string
  valid_until: string
  last_used_at: string | null
}

/** Requests per day, in the time zone of the service, at most 10 seconds behind. */
export type KeyUsage = {
  first_day: string
  /** Requests on each of 14 days. The last day is today. */
  requests: Array<number>
  /** How many requests of each day were answered with 429. */
  limited: Array<number>
}

export type Key = {
  id: string
  name: string
  /** The first characters of the secret. They are not secret, and the log shows them. */
  prefix: string
  /** Each scope includes those before it. */
  scope: "read" | "write" | "manage"
  /** True if the key may use all sites, including later ones. */
  all_sites: boolean
  /** The sites of a limited key. Empty if `all_sites` is true. */
  site_ids: Array<number>
  /** Null: the key has no limit. */
  requests_per_minute: number | null
  /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
  vouchers_per_day: number | null
  /** The longest duration of a voucher in minutes. Null: no limit. */
  longest_minutes: number | null
  /** When the key stops working; null if it does not expire. */
  expires_at: string | null
  revoked_at: string | null
  /** When the key was last used, at most 10 seconds behind. */
  last_used_at: string | null
  created_at: string
  /** Old secrets of the key that still work. */
  old_secrets: Array<OldSecret>
  usage: KeyUsage
}

export type NewKey = {
  /** What the key is for. */
  name: string
  /** Each scope includes those before it. */
  scope: "read" | "write" | "manage"
  /** Only these sites. Null: all sites, including later ones. A new key without it is for all sites. */
  site_ids?: Array<number> | null
  /** Null: the key has no limit. Default: 600. */
  requests_per_minute?: number | null
  /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
  vouchers_per_day?: number | null
  /** The longest duration of a voucher in minutes. Null: no limit. */
  longest_minutes?: number | null
  /** When the key stops working. Null: never, which is the default. A key with the scope manage needs a time. */
  expires_at?: string | null
}

export type KeyWithSecret = {
  id: string
  name: string
  /** The first characters of the secret. They are not secret, and the log shows them. */
  prefix: string
  /** Each scope includes those before it. */
  scope: "read" | "write" | "manage"
  /** True if the key may use all sites, including later ones. */
  all_sites: boolean
  /** The sites of a limited key. Empty if `all_sites` is true. */
  site_ids: Array<number>
  /** Null: the key has no limit. */
  requests_per_minute: number | null
  /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
  vouchers_per_day: number | null
  /** The longest duration of a voucher in minutes. Null: no limit. */
  longest_minutes: number | null
  /** When the key stops working; null if it does not expire. */
  expires_at: string | null
  revoked_at: string | null
  /** When the key was last used, at most 10 seconds behind. */
  last_used_at: string | null
  created_at: string
  /** Old secrets of the key that still work. */
  old_secrets: Array<OldSecret>
  usage: KeyUsage
  /** The whole key. Only this answer contains it. */
  secret: string
}

/** The new values. Fields that are left out stay as they are. */
export type KeyChange = {
  name?: string
  /** Only these sites. Null: all sites, including later ones. A new key without it is for all sites. */
  site_ids?: Array<number> | null
  /** Null: the key has no limit. */
  requests_per_minute?: number | null
  /** How many vouchers may be created a day. Null: no limit. A day of a site is in its time zone; a day of a key or a person, in that of the service. */
  vouchers_per_day?: number | null
  /** The longest duration of a voucher in minutes. Null: no limit. */
  longest_minutes?: number | null
  /** When the key stops working. Null: never, which is the default. A key with the scope manage needs a time. */
  expires_at?: string | null
}

export type KeyRoll = {
  /** The current prefix of the key. If the key has another prefix, nothing changes. */
  prefix: string
  /** When the existing secrets stop working, at most 30 days ahead. Null: at once. */
  old_valid_until: string | null
}

/** The key or person that created it. */
export type CreatedBy = {
  kind: "key" | "staff"
  id: string
  /** The name of the key or person now. */
  name: string
}

export type Voucher = {
  /** The number of the site, a hyphen and a UUID. */
  id: string
  site_id: number
  code: string
  formatted_code: string
  /** The name that you sent. For a voucher that was created on the controller: its note without a date. */
  name: string
  /** The name on the controller, with the date and without a tag. It never changes. */
  controller_name: string
  /** Your own text for the voucher, such as a reservation number. */
  reference: string | null
  /** Only a valid voucher can be redeemed. */
  status: "valid" | "used" | "expired" | "revoked"
  /** 0 means any number of devices. */
  max_uses: number
  used_count: number
  /** Minutes from the first use. */
  expire_minutes: number
  /** 0 means no limit. */
  qos: {
    down_kbps: number
    up_kbps: number
    quota_mb: number
  }
  created_at: string
  first_used_at: string | null
  /** When the minutes end. Null until the first use. */
  expires_at: string | null
  /** The voucher is withdrawn at this time, used or not. */
  valid_until: string | null
  /** The latest time to which valid_until can be changed. Null: there is no limit. */
  latest_valid_until: string | null
  /** The voucher is withdrawn at this time if nobody has used it. */
  unused_until: string | null
  revoked_at: string | null
  /** The earliest of expires_at, valid_until and revoked_at. */
  ends_at: string | null
  synced_at: string | null
  /** Null if the voucher was created on the controller. */
  created_by: CreatedBy | null
  batch_id: string | null
}

export type VoucherCreation = {
  site_id: number
  /** The limits of this template apply unless the request has its own. */
  template_id?: string
  /** Number of devices; 0 means any number. Default: that of the template, otherwise 1. */
  max_uses?: number
  /** Minutes from the first use. Default: those of the template. Without a template: the time until valid_until, but not more than the controller accepts. Without both: 480. */
  expire_minutes?: number
  /** 0 means no limit. */
  qos?: {
    down_kbps?: number
    up_kbps?: number
    quota_mb?: number
  }
  /** Your own text for the voucher, such as a reservation number. You can find and withdraw vouchers by it. */
  reference?: string
  /** The voucher is withdrawn at this time, used or not. At least one minute ahead. */
  valid_until?: string
  /** valid_until can later be moved at least to this time, because the voucher gets enough minutes on the controller. This does not hold if expire_minutes or the template gives fewer minutes. Must not be before valid_until, which is the default, nor further ahead than a voucher can last: 1,000,000 minutes. */
  extendable_until?: string
  /** The voucher is withdrawn after this many days if nobody has used it. */
  unused_days?: number
  /** Display name, at most 244 characters. On the controller, the service puts the date in front of it: 2026-11-15_Room 12. */
  name: string
  /** An e-mail that tells the guest the code as soon as the voucher is recorded. Without a voucher, nothing is sent. */
  message?: {
    /** The address of the guest. It is encrypted, and erased 24 hours after the outcome of the message. */
    email: string
    /** The language of the message. Default: the first guest language of the site, otherwise yours. */
    language?: "de" | "en" | "fr" | "it" | "nl" | "es" | "pl" | "cs" | "pt" | "da" | "sv" | "nb" | "fi" | "hu" | "ro" | "hr" | "tr" | "el" | "uk" | "ru"
  }
}

export type VoucherOutcome = {
  /** running: the service works on the request, or looks for its voucher. made: there is a voucher. none: no voucher was created, or no request with this Idempotency-Key has arrived. */
  outcome: "running" | "made" | "none"
  /** The voucher as it is now, if the outcome is made. */
  voucher: Voucher | null
}

export type CodeLookUp = {
  /** The vouchers with this code, at most 20: first the valid ones, then the newest. Empty if there is none. */
  vouchers: Array<Voucher>
  /** Vouchers with this code that a controller has but that are not in the record. Only with fresh=true. */
  on_controller_only: Array<{
    site_id: number
    /** Only a valid voucher can be redeemed. */
    status: "valid" | "used" | "expired" | "revoked"
  }>
  /** True if the controllers of these vouchers answered just now. */
  fresh: boolean
  /** When the vouchers were last compared with their controllers. The oldest time if there are several sites. Null if there was no comparison. */
  synced_at: string | null
}

export type VouchersByName = {
  /** Vouchers that work or that ended in the last 7 days: first those that work, then those with exactly this name, then names that begin with the text, then the newest. If 300 or more vouchers of the site begin with this text, older ones may be missing. Later words of a name are searched only in the newest 300 valid and 300 used vouchers of the site. */
  vouchers: Array<Voucher>
  /** The number of further vouchers like these. 100 means 100 or more. */
  more: number
}

export type HistoryActor = {
  kind: "key" | "staff" | "command" | "service"
  name: string
}

export type HistoryChanges = {
  /** Never given: names are not recorded. See `changed`. */
  name?: string
  /** Never given, like `name`. */
  reference?: string | null
  valid_until?: string | null
}

export type Message = {
  id: string
  /** accepted: the mail server took the message; nobody knows whether it arrived. rejected: it will never take it. expired: it did not take it within a day, or before the voucher ended. cancelled: the voucher was revoked. */
  state: "prepared" | "waiting" | "accepted" | "rejected" | "expired" | "cancelled"
  /** Only people get it, until 24 hours after the outcome. It is always null for API keys. */
  email: string | null
  language: "de" | "en" | "fr" | "it" | "nl" | "es" | "pl" | "cs" | "pt" | "da" | "sv" | "nb" | "fi" | "hu" | "ro" | "hr" | "tr" | "el" | "uk" | "ru"
  attempts: number
  /** Why the last attempt failed. */
  failure: "not_set_up" | "address_forbidden" | "address_not_private" | "name_unknown" | "port_closed" | "no_answer" | "no_connection" | "not_smtp" | "server_refused" | "starttls_missing" | "not_tls" | "certificate_self_signed" | "certificate_expired" | "certificate_for_other_name" | "certificate_changed" | "password_unencrypted" | "sign_in_not_offered" | "sign_in_required" | "credentials_refused" | "sender_invalid" | "connection_lost" | "not_now" | "message_rejected" | null
  /** The last answer of the mail server, without addresses. A day after the outcome, only its status code is left. */
  answer: string | null
  created_at: string
  next_attempt_at: string | null
  /** When the outcome was known. */
  settled_at: string | null
  created_by: CreatedBy | null
}

export type VoucherHistoryEntry = {
  /** revoked: the voucher is gone from the controller. expired: its minutes have run out. message: an e-mail to the guest; its time is that of the outcome once there is one. */
  type: "created" | "changed" | "first_used" | "revocation_requested" | "revoked" | "expired" | "message"
  at: string
  /** The key or person that created or changed the voucher, requested its revocation or sent the message. Null for the other types, and if the voucher was created on the controller. */
  by: HistoryActor | null
  /** The fields that changed; null unless the type is changed. */
  changed: Array<"name" | "reference" | "valid_until"> | null
  /** The new values, except of data of the guest; null unless the type is changed. */
  changes: HistoryChanges | null
  /** Why the voucher was revoked. controller: somebody deleted it there. Null unless the type is revoked. */
  reason: "request" | "valid_until" | "unused" | "repair" | "controller" | null
  /** The outcome of the request, as in the rows of a revocation. Null unless the type is revocation_requested. */
  outcome: "pending" | "revoked" | "ended" | "kept" | "failed" | null
  /** Why the last attempt to withdraw the voucher failed. */
  failure: string | null
  /** Null unless the type is message. */
  message: Message | null
  /** Whether the devices of the voucher were signed out, as in the rows of a revocation. */
  disconnected: "all" | "none_online" | "unsupported" | "failed" | null
}

export type MessageCreation = {
  /** The address of the guest. It is encrypted, and erased 24 hours after the outcome of the message. */
  email: string
  /** The language of the message. Default: the first guest language of the site, otherwise yours. */
  language?: "de" | "en" | "fr" | "it" | "nl" | "es" | "pl" | "cs" | "pt" | "da" | "sv" | "nb" | "fi" | "hu" | "ro" | "hr" | "tr" | "el" | "uk" | "ru"
}

export type ProposedEnd = {
  /** Send this in a PATCH of the voucher. */
  valid_until: string
  /** Calendar days from the present end in the time zone of the site; negative if it is earlier. Null if the time of day differs, or if there is no present end. */
  days: number | null
  /** Where the end is, seen from the present one. Null: it is the same. */
  direction: "later" | "earlier" | null
  /** Why a PATCH with this end would be rejected now. Null: it would be accepted. */
  error: "valid_until_passed" | "valid_until_too_late" | "valid_until_beyond_limit" | "voucher_ended" | null
}

export type VoucherEnds = {
  /** The time zone of the site. */
  time_zone: string
  /** The present end. Null: the voucher is unused and has no fixed end. */
  ends_at: string | null
  /** The latest time to which valid_until can be changed. Null: there is no limit. */
  latest_valid_until: string | null
  /** The ends for `days` in the same order, then the end for `until`. */
  ends: Array<ProposedEnd>
}

/** The new values. Fields that are left out stay as they are. */
export type VoucherChange = {
  /** Display name. The name on the controller does not change. */
  name?: string
  /** Null removes the reference. */
  reference?: string | null
  /** The voucher is withdrawn at this time, used or not. At least one minute ahead and not after latest_valid_until. If you or the site have a longest duration, not further than that after the creation of the voucher. Null: never. */
  valid_until?: string | null
  /** The end may only move in this direction. Otherwise the request is rejected with 409, even if somebody else has changed the end meanwhile. Needs valid_until. */
  direction?: "later" | "earlier"
}

export type Revocation = {
  id: string
  created_at: string
  /** `done` when no voucher is pending. */
  state: "running" | "done"
  total: number
  pending: number
  revoked: number
  ended: number
  kept: number
  failed: number
}

export type Batch = {
  /** The number of the site, a hyphen and a UUID. */
  id: string
  site_id: number
  state: "running" | "done" | "cancelled"
  size: number
  waiting: number
  /** Number of rows that were sent to the controller and have no outcome yet. */
  under_way: number
  made: number
  failed: number
  cancelled: number
  reference: string | null
  max_uses: number
  /** Minutes from the first use, as requested. valid_until may shorten them. 2147483647 if only valid_until ends the vouchers. */
  expire_minutes: number
  qos: {
    down_kbps: number
    up_kbps: number
    quota_mb: number
  }
  valid_until: string | null
  extendable_until: string | null
  unused_days: number | null
  created_at: string
  /** Since when the controller cannot create vouchers. The service retries. */
  held_up_since: string | null
  /** When the waiting rows fail as unreachable, if the controller still cannot create vouchers. */
  held_up_until: string | null
  finished_at: string | null
  created_by: CreatedBy
}

export type BatchRowCreation = {
  /** Display name, at most 244 characters. On the controller, the service puts the date in front of it: 2026-11-15_Room 12. */
  name: string
  /** Your own text for the voucher, such as a reservation number. You can find and withdraw vouchers by it. */
  reference?: string
  /** Number of devices; 0 means any number. */
  max_uses?: number
  /** Minutes from the first use. */
  expire_minutes?: number
  /** The voucher is withdrawn at this time, used or not. At least one minute ahead. */
  valid_until?: string
  /** As for the batch. Requires the valid_until of the row. */
  extendable_until?: string
  /** An e-mail that tells the guest the code as soon as the voucher of the row is recorded. If the row fails or is cancelled, nothing is sent and the address is erased at once, so a retry sends nothing either. */
  message?: {
    /** The address of the guest. It is encrypted, and erased 24 hours after the outcome of the message. */
    email: string
    /** The language of the message. Default: the first guest language of the site, otherwise yours. */
    language?: "de" | "en" | "fr" | "it" | "nl" | "es" | "pl" | "cs" | "pt" | "da" | "sv" | "nb" | "fi" | "hu" | "ro" | "hr" | "tr" | "el" | "uk" | "ru"
  }
}

export type BatchCreation = {
  site_id: number
  /** The limits of this template apply unless the request has its own. */
  template_id?: string
  /** Number of devices; 0 means any number. Default: that of the template, otherwise 1. */
  max_uses?: number
  /** Minutes from the first use. Default: those of the template. Without a template: the time until valid_until, but not more than the controller accepts. Without both: 480. */
  expire_minutes?: number
  /** 0 means no limit. */
  qos?: {
    down_kbps?: number
    up_kbps?: number
    quota_mb?: number
  }
  /** Your own text for the voucher, such as a reservation number. You can find and withdraw vouchers by it. */
  reference?: string
  /** The voucher is withdrawn at this time, used or not. At least one minute ahead. */
  valid_until?: string
  /** valid_until can later be moved at least to this time, because the voucher gets enough minutes on the controller. This does not hold if expire_minutes or the template gives fewer minutes. Must not be before valid_until, which is the default, nor further ahead than a voucher can last: 1,000,000 minutes. */
  extendable_until?: string
  /** The voucher is withdrawn after this many days if nobody has used it. */
  unused_days?: number
  /** Name of every voucher of the batch. Requires count. */
  name?: string
  count?: number
  /** One voucher for each name, instead of name and count. Each different name takes a call to the controller. */
  names?: Array<string>
  /** Rows instead of names: each row makes one voucher. A row may have its own reference, number of devices, end and message. The end of a row is expire_minutes, valid_until or both, and replaces the end of the batch. With only valid_until, the voucher lasts until then. */
  rows?: Array<BatchRowCreation>
}

export type BatchRow = {
  number: number
  name: string
  outcome: "waiting" | "under_way" | "made" | "failed" | "cancelled"
  /** Why there is no voucher: unreachable, insecure, sign_in, forbidden, rejected, missing, no_voucher, valid_until_passed, limit_reached, site_inactive or key_revoked. */
  failure: string | null
  voucher_id: string | null
  code: string | null
  formatted_code: string | null
  reference: string | null
  max_uses: number
  /** As for the batch, or the minutes of this row. */
  expire_minutes: number
  valid_until: string | null
  /** The state of the message of the row. Null without a message, and a month after its outcome. */
  message_state: "prepared" | "waiting" | "accepted" | "rejected" | "expired" | "cancelled" | null
}

/** Either voucher_ids or filter. */
export type RevocationRequest = {
  voucher_ids?: Array<string>
  /** The filters of the list of vouchers. At least one besides site_id is required. The filter covers the vouchers that can still be withdrawn, at most 10,000. */
  filter?: {
    /** Only these sites. Without it: all sites of the key. */
    site_id?: Array<number>
    /** Only vouchers with this text in the name; upper and lower case are the same. */
    text?: string
    /** Only vouchers with exactly this reference. */
    reference?: string
    /** Only vouchers that this key or person created. */
    created_by?: string
    /** Only vouchers that were created by any API key, by any person, or on the controller itself. */
    source?: "key" | "staff" | "controller"
    /** Only vouchers that nobody has used, as far as the record shows. */
    unused?: true
    /** Only vouchers of this batch. */
    batch_id?: string
    /** Only vouchers that were created after this time, not exactly at it. */
    created_after?: string
    /** Only vouchers that were created before this time, not exactly at it. */
    created_before?: string
    /** Only vouchers whose code begins with this text. */
    code?: string
  }
}

export type RevocationRow = {
  voucher_id: string
  /** ended: the time of the voucher had run out, it was revoked or deleted before, or it was never created. kept: only unused vouchers were to be withdrawn, and somebody had used this one. failed: the service gave up after seven days, or at once with no_id. */
  outcome: "pending" | "revoked" | "ended" | "kept" | "failed"
  /** Why the last attempt failed: unreachable, timeout, busy, insecure, sign_in, forbidden, missing, rejected, failed, no_voucher, or no_id if the controller has no id for the voucher. */
  failure: string | null
  /** Whether the devices of the voucher were signed out. unsupported: the controller does not say which devices used the voucher. They may stay online until its minutes end. Null while pending, and if nothing was deleted. */
  disconnected: "all" | "none_online" | "unsupported" | "failed" | null
  settled_at: string | null
}

export type AuditEntry = {
  id: string
  at: string
  actor: {
    /** An API key, a person, the command line, or the service itself. */
    kind: "key" | "staff" | "command" | "service"
    /** The id of the key or person. Null for the command line and for the service. */
    id: string | null
    /** The name of the actor at that time. */
    name: string
  }
  action: string
  target: {
    kind: string
    id: string
    /** The name of the target at that time, or now; null if neither is known. */
    name: string | null
  }
  /** The address from which the request came. Null if no request caused the entry, for example for the command line. */
  address: string | null
  /** A change has `changes`, the new values, and `before`, the old values of the same fields. Secrets are never included. */
  details: Record<string, unknown>
}

/** The operations of API v2 as methods. */
export interface VoucherApi {
  /** Get who is signed in, and whether sign-in is possible */
  getSession(options?: CallOptions): Promise<Session>
  /** Sign in with e-mail and password; the answer sets the session cookie, or says that a second factor is missing */
  createSession(body: SignIn, options?: CallOptions): Promise<Person | SecondStep>
  /** Sign out in this browser */
  deleteSession(options?: CallOptions): Promise<void>
  /** Set whether people share this browser, and after which time without use it signs them out */
  updateSession(body: SessionChange, options?: CallOptions): Promise<void>
  /** Give the second factor and finish signing in; the answer sets the session cookie */
  checkSecondFactor(body: SecondFactor, options?: CallOptions): Promise<Person>
  /** Get the options with which the browser uses a passkey as the second factor */
  createSecondFactorOptions(options?: CallOptions): Promise<PasskeyOptions>
  /** Prove again who you are. For 15 minutes after it, passwords, factors, keys and people can be changed */
  checkSignInAgain(body: SignInAgain, options?: CallOptions): Promise<void>
  /** List the ways to prove again who you are */
  createSignInAgainOptions(options?: CallOptions): Promise<SignInAgainOptions>
  /** Check the setup token, before the first administrator is created */
  checkSetupToken(body: SetupTokenCheck, options?: CallOptions): Promise<void>
  /** Create the first administrator and three templates with the setup token, and sign in */
  createFirstAdministrator(body: Setup, options?: CallOptions): Promise<Person>
  /** Set a password with a one-time link, and sign in; all other sessions of the person end */
  updatePasswordByLink(body: PasswordLinkUse, options?: CallOptions): Promise<Person | SecondStep>
  /** Ask for a one-time link by e-mail, valid for an hour. The answer is the same whether or not somebody has the address */
  createPasswordLinkByEmail(body: ForgottenPassword, options?: CallOptions): Promise<void>
  /** Get the key or the person of this request: name, rights, sites and limits */
  getMe(options?: CallOptions): Promise<KeyInfo | Person>
  /** Change your own name, language or theme */
  updateMe(body: MyChange, options?: CallOptions): Promise<Person>
  /** Change your own password; all your other sessions end */
  updateMyPassword(body: PasswordChange, options?: CallOptions): Promise<void>
  /** List the browsers where you are signed in */
  listMySessions(options?: CallOptions): Promise<{
    sessions: Array<MySession>
  }>
  /** Sign out everywhere, including here */
  deleteMySessions(options?: CallOptions): Promise<void>
  /** Sign out in one browser */
  deleteMySession(id: string | number, options?: CallOptions): Promise<void>
  /** Get your authenticator app and your passkeys, and whether your role needs a second factor */
  getMySecondFactors(options?: CallOptions): Promise<MySecondFactors>
  /** Begin to set up an authenticator app. Nothing changes until it is activated */
  createAuthenticatorApp(options?: CallOptions): Promise<NewAuthenticatorApp>
  /** Remove your authenticator app and its recovery codes */
  deleteAuthenticatorApp(options?: CallOptions): Promise<void>
  /** Check a code of the new authenticator app. The answer has ten recovery codes, which are shown only once */
  checkAuthenticatorApp(body: AuthenticatorAppCheck, options?: CallOptions): Promise<RecoveryCodes>
  /** Turn on the new authenticator app. It replaces an earlier one */
  enableAuthenticatorApp(options?: CallOptions): Promise<void>
  /** Get ten new recovery codes. The earlier ones no longer work */
  createRecoveryCodes(options?: CallOptions): Promise<RecoveryCodes>
  /** Get the options with which the browser makes a new passkey */
  createPasskeyOptions(options?: CallOptions): Promise<PasskeyOptions>
  /** Add a passkey as a second factor */
  createPasskey(body: NewPasskey, options?: CallOptions): Promise<Passkey>
  /** Rename one of your passkeys */
  updatePasskey(id: string | number, body: PasskeyChange, options?: CallOptions): Promise<Passkey>
  /** Remove one of your passkeys */
  deletePasskey(id: string | number, options?: CallOptions): Promise<void>
  /** Unlink your account of the provider */
  deleteMyIdentity(options?: CallOptions): Promise<void>
  /** List the people whom you may manage, by name */
  listStaff(query?: {
    /** Only people who may use this site. */
    site_id?: number
    /** Part of the name or of the e-mail address. */
    text?: string
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    staff: Array<StaffMember>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
  }>
  /** Add a person. The answer has a one-time link for the person, valid for a week, which is shown only once */
  createPerson(body: NewPerson, options?: CallOptions): Promise<CreatedPerson>
  /** Get one person whom you may manage */
  getPerson(id: string | number, options?: CallOptions): Promise<StaffMember>
  /** Change a person. The change takes effect at once. If the person gets more rights, all sessions of the person end and an open one-time link stops working. A password from the link of a manager who cannot give these rights ends too */
  updatePerson(id: string | number, body: PersonChange, options?: CallOptions): Promise<StaffMember>
  /** Create a one-time link, valid for a day, with which a person sets a new password. It is shown only once */
  createPasswordLink(id: string | number, query?: {
    /** True: the service also sends the link to the person by e-mail, in their language. It needs a mail server, a sender and PUBLIC_URL. */
    send_email?: boolean
  }, options?: CallOptions): Promise<PasswordLink>
  /** Sign a person out everywhere. An open one-time link of the person stops working */
  deletePersonSessions(id: string | number, options?: CallOptions): Promise<void>
  /** Remove the authenticator app, the recovery codes and the passkeys of a person. All sessions and an open one-time link of the person end */
  deletePersonSecondFactors(id: string | number, options?: CallOptions): Promise<void>
  /** Unlink the account of the provider from a person, who keeps role and sites. All sessions of the person end */
  deletePersonIdentity(id: string | number, options?: CallOptions): Promise<void>
  /** Get the problems that need attention, and how many vouchers were issued and redeemed on each day */
  getOverview(query?: {
    /** Only this site. Without it: all sites of the person. */
    site_id?: number
    /** The number of days to show, including today. */
    days?: 7 | 30 | 90
  }, options?: CallOptions): Promise<Overview>
  /** Download how many vouchers each site, person and key issued, as CSV for a spreadsheet */
  exportOverview(query?: {
    /** Only this site. Without it: all sites of the person. */
    site_id?: number
    /** The number of days to show, including today. */
    days?: 7 | 30 | 90
    /** `site`: a row for each site, with the vouchers that were issued and redeemed. `maker`: a row for each person and key at each site. */
    by?: "site" | "maker"
    /** The language of a table for people: of its headers, numbers and dates. Without it, Accept-Language decides. */
    language?: "en" | "de"
    /** Without it: a semicolon for a table for people in German, as Excel expects it there, otherwise a comma. */
    separator?: "," | ";"
  }, options?: CallOptions): Promise<string>
  /** Get whether the service is held. While it is held, it creates and revokes no vouchers */
  getHold(options?: CallOptions): Promise<Hold>
  /** Get the name, the logo and the accent colour of the house */
  getAppearance(options?: CallOptions): Promise<Appearance>
  /** Change the name or the accent colour of the house */
  updateAppearance(body: AppearanceChange, options?: CallOptions): Promise<Appearance>
  /** Get the colours that the web app would use for an accent colour, without changing anything */
  getAccentColors(query: {
    accent_color: string
  }, options?: CallOptions): Promise<AccentColors>
  /** Upload the logo of the house: a PNG or JPEG of at most 256 KiB and 2,000 × 2,000 pixels */
  updateHouseLogo(body: Blob, options?: CallOptions): Promise<void>
  /** Remove the logo of the house, if there is one */
  deleteHouseLogo(options?: CallOptions): Promise<void>
  /** Get which roles need a second factor, and how many people have one */
  getSecondFactorSettings(options?: CallOptions): Promise<SecondFactorSettings>
  /** Choose which roles need a second factor. It takes effect at the next sign-in of each person */
  updateSecondFactorSettings(body: SecondFactorRoles, options?: CallOptions): Promise<SecondFactorSettings>
  /** Get how people sign in: the provider and its state, the groups, and whether passwords work */
  getSignInSettings(options?: CallOptions): Promise<SignInSettings>
  /** Switch password sign-in on or off, choose the break-glass account, or start at the provider at once */
  updateSignInSettings(body: SignInSettingsChange, options?: CallOptions): Promise<SignInSettings>
  /** Replace the groups that become roles. People get other rights at their next sign-in with the provider */
  updateSignInGroups(body: SignInGroups, options?: CallOptions): Promise<SignInSettings>
  /** Show whom a table of groups would change, without changing anything */
  checkSignInGroups(body: SignInGroupsTry, options?: CallOptions): Promise<SignInGroupsResult>
  /** Get after how many days guests are forgotten. An API key needs the right to all sites. */
  getGuestDataSettings(options?: CallOptions): Promise<GuestDataSettings>
  /** Change after how many days guests are forgotten. An API key needs the right to all sites. */
  updateGuestDataSettings(body: GuestDataChange, options?: CallOptions): Promise<GuestDataSettings>
  /** Set other days for a site. An API key needs the right to all sites. */
  updateSiteGuestData(id: string | number, body: SiteGuestData, options?: CallOptions): Promise<GuestDataSettings>
  /** Use the days of all sites for a site again. An API key needs the right to all sites. */
  deleteSiteGuestData(id: string | number, options?: CallOptions): Promise<void>
  /** Count what the next run would do with these values instead of the saved ones. Nothing changes. An API key needs the right to all sites. */
  checkGuestData(body: GuestDataPreview, options?: CallOptions): Promise<GuestDataCounts>
  /** Get the mail server and the senders. An API key needs the right to all sites. */
  getMailSettings(options?: CallOptions): Promise<MailSettings>
  /** Set up or change the mail server. The stored password is never used for another host, port, encryption or certificate: send it again */
  updateMailServer(body: MailServerChange, options?: CallOptions): Promise<MailSettings>
  /** Remove the mail server with its password. The senders stay */
  deleteMailServer(options?: CallOptions): Promise<void>
  /** Set the sender of all sites without a sender of their own. An API key needs the right to all sites. */
  updateMailSender(body: MailSender, options?: CallOptions): Promise<MailSettings>
  /** Remove the sender of all sites without a sender of their own. An API key needs the right to all sites. */
  deleteMailSender(options?: CallOptions): Promise<void>
  /** Set the sender of a site. An API key needs the right to all sites. */
  updateSiteMailSender(id: string | number, body: MailSender, options?: CallOptions): Promise<MailSettings>
  /** Use the sender of all other sites for a site again. An API key needs the right to all sites. */
  deleteSiteMailSender(id: string | number, options?: CallOptions): Promise<void>
  /** Test the mail server line by line: name, connection, encryption, sign-in, test message. Fields of the body replace what is stored. An API key needs the right to all sites. */
  testMailServer(body: MailServerToTest, options?: CallOptions): Promise<MailServerTest>
  /** Find guests by the beginning of a word of the name, or by the whole reference, at all sites. An API key sees only its sites. */
  searchGuests(body: GuestSearch, options?: CallOptions): Promise<FoundGuests>
  /** List where something about guests is stored, and until when. An API key sees only its sites. */
  listStoredGuestData(body: Guests, options?: CallOptions): Promise<StoredGuestData>
  /** Download everything that is stored about guests, as a ZIP file with JSON and a page to read. An API key sees only its sites. */
  exportGuests(body: Guests, options?: CallOptions): Promise<Blob>
  /** Erase the names and references of guests everywhere. Codes, times and counts stay. An API key sees only its sites. */
  eraseGuests(body: GuestErasure, options?: CallOptions): Promise<ErasureResult>
  /** List the receipts of erasures, newest first. An API key sees only its sites. */
  listErasures(query?: {
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<ErasureList>
  /** List the sites of the key by number or by name, active or not */
  listSites(query?: {
    /** Only the site with this number. May be repeated. */
    id?: Array<number>
    /** Only sites that have each of these words in their name, in the name of their controller, or in their number; upper and lower case are the same. */
    text?: string
    /** Only sites that have each of these words in their name. */
    name?: string
    /** Only sites in this state. */
    state?: "reachable" | "unreachable" | "certificate" | "sign_in_refused" | "failing" | "unknown" | "inactive"
    /** Only sites that are active, or only those that are not. */
    active?: boolean
    /** Only sites of this controller. */
    controller_id?: string
    /** `name`: by name; sites that are not active are last. `state`: failing sites first, sites that are not active last, and by name within each group. */
    order?: "number" | "name" | "state"
    /** Whether the answer has a `summary` of all sites. */
    with_summary?: boolean
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    sites: Array<Site>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
    summary?: SitesSummary
  }>
  /** Add a site of a controller */
  createSite(body: NewSite, options?: CallOptions): Promise<SiteSettings>
  /** Get one site */
  getSite(id: string | number, options?: CallOptions): Promise<Site>
  /** Change a site */
  updateSite(id: string | number, body: SiteChange, options?: CallOptions): Promise<SiteSettings>
  /** Remove a site that has no vouchers and that nothing refers to */
  deleteSite(id: string | number, options?: CallOptions): Promise<void>
  /** Add the sites of a CSV file with the columns name, controller, controller_site and optionally active and adopt: all of them or none */
  importSites(body: Blob, options?: CallOptions): Promise<SiteImport>
  /** Check what an import of this CSV file would add, and what is wrong in which line. Writes nothing */
  checkSiteImport(body: Blob, options?: CallOptions): Promise<SiteImport>
  /** Get the settings of a site */
  getSiteSettings(id: string | number, options?: CallOptions): Promise<SiteSettings>
  /** List the keys, webhooks and people that use a site. Call it before you deactivate or remove the site */
  getSiteEffects(id: string | number, options?: CallOptions): Promise<SiteEffects>
  /** Compare the record of a site with its controller now */
  syncSite(id: string | number, options?: CallOptions): Promise<SyncRequest>
  /** Get how many vouchers you can still create at a site today, and how long they may last */
  getIssuing(id: string | number, options?: CallOptions): Promise<Issuing>
  /** Get the facts of a site that are printed on slips for guests */
  getGuestInfo(id: string | number, options?: CallOptions): Promise<GuestInfo>
  /** Change the facts of a site that are printed on slips for guests */
  updateGuestInfo(id: string | number, body: GuestInfoChange, options?: CallOptions): Promise<GuestInfo>
  /** Draw the slip of an invented guest. Nothing is saved, and fields that you leave out are those of the site */
  checkSlip(id: string | number, body: SlipPreviewRequest, options?: CallOptions): Promise<SlipPreview>
  /** Get the logo of a site as it was uploaded */
  getLogo(id: string | number, options?: CallOptions): Promise<Blob>
  /** Upload the logo for slips: a PNG or JPEG of at most 256 KiB and 2,000 × 2,000 pixels */
  updateLogo(id: string | number, body: Blob, options?: CallOptions): Promise<void>
  /** Remove the logo of a site, if it has one */
  deleteLogo(id: string | number, options?: CallOptions): Promise<void>
  /** List the controllers by name, without their secrets */
  listControllers(query?: {
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    controllers: Array<Controller>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
  }>
  /** Add a controller. It is not called until a site is added */
  createController(body: NewController, options?: CallOptions): Promise<Controller>
  /** Test a controller layer by layer: name, connection, certificate, sign-in, permission, site. It creates nothing. Without credentials only the network is tested */
  checkController(body: ControllerToCheck, options?: CallOptions): Promise<ControllerCheck>
  /** Get one controller, without its secrets */
  getController(id: string | number, options?: CallOptions): Promise<Controller>
  /** Change a controller. A new address or certificate_pin erases the stored secret unless the request has a new one */
  updateController(id: string | number, body: ControllerChange, options?: CallOptions): Promise<Controller>
  /** Remove a controller that has no sites */
  deleteController(id: string | number, options?: CallOptions): Promise<void>
  /** Ask a controller now which sites it has */
  listControllerSites(id: string | number, options?: CallOptions): Promise<{
    sites: Array<OfferedSite>
  }>
  /** Add sites of a controller, under the names that they have there or under other ones. Sites that exist already stay as they are */
  createControllerSites(id: string | number, body: NewControllerSites, options?: CallOptions): Promise<{
    /** The numbers of the new sites. */
    site_ids: Array<number>
  }>
  /** List templates in the order of the desk: those for all sites and those for the sites of the key */
  listTemplates(query?: {
    /** Only templates that can be used on this site: its own and those for all sites. Without it: all sites of the key. */
    site_id?: number
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    templates: Array<Template>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
  }>
  /** Add a template, for one site or for all sites */
  createTemplate(body: NewTemplate, options?: CallOptions): Promise<Template>
  /** Change a template. Vouchers that were created from it stay as they are */
  updateTemplate(id: string | number, body: TemplateChange, options?: CallOptions): Promise<Template>
  /** Remove a template. Vouchers that were created from it stay as they are */
  deleteTemplate(id: string | number, options?: CallOptions): Promise<void>
  /** List the webhooks by name, without their addresses and secrets */
  listWebhooks(query?: {
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    webhooks: Array<Webhook>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
  }>
  /** Subscribe: send events to an address. The answer has the signing secret, which is shown only once */
  createWebhook(body: NewWebhook, options?: CallOptions): Promise<CreatedWebhook>
  /** Get one webhook, without its address and secret */
  getWebhook(id: string | number, options?: CallOptions): Promise<Webhook>
  /** Change a webhook. Pending deliveries are sent to the new address */
  updateWebhook(id: string | number, body: WebhookChange, options?: CallOptions): Promise<Webhook>
  /** Unsubscribe: remove a webhook and the log of its deliveries */
  deleteWebhook(id: string | number, options?: CallOptions): Promise<void>
  /** Send a test event now and return the answer of the receiver. The test is not retried and is not in the list of deliveries */
  testWebhook(id: string | number, options?: CallOptions): Promise<WebhookTest>
  /** Enable a disabled webhook. To send failed deliveries again, replay them */
  enableWebhook(id: string | number, options?: CallOptions): Promise<Webhook>
  /** Create a new signing secret, which is shown only once. For 24 hours, events are signed with the previous secret too */
  rotateWebhookSecret(id: string | number, options?: CallOptions): Promise<RotatedSecret>
  /** List the deliveries of the last 30 days with their attempts, newest first */
  listDeliveries(id: string | number, query?: {
    /** `pending`: the delivery waits for its next attempt. `failed`: the delivery was given up. */
    state?: "pending" | "delivered" | "failed"
    /** Only deliveries of events since this time. */
    since?: string
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    deliveries: Array<Delivery>
    /** Number of failed deliveries since `since`, on all pages and for every `state`. */
    failed: number
    /** Number of pending deliveries since `since`, on all pages and for every `state`. */
    pending: number
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
  }>
  /** Send one delivery again, or all failed ones of a period, with the same webhook-id */
  replayDeliveries(id: string | number, body: Replay, options?: CallOptions): Promise<{
    /** How many deliveries are sent again. */
    replayed: number
    /** Whether more deliveries may be left. If so, send the same request again. */
    more: boolean
  }>
  /** List the API keys by name, with their usage of the last 14 days and without their secrets */
  listKeys(query?: {
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    keys: Array<Key>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
  }>
  /** Create an API key. The answer has its secret, which is shown only once */
  createKey(body: NewKey, options?: CallOptions): Promise<KeyWithSecret>
  /** Get one API key with its usage, without its secret */
  getKey(id: string | number, options?: CallOptions): Promise<Key>
  /** Change the name, sites, limits or expiry of an API key, at once and in every process */
  updateKey(id: string | number, body: KeyChange, options?: CallOptions): Promise<Key>
  /** Revoke an API key with all its secrets, at once and in every process */
  revokeKey(id: string | number, options?: CallOptions): Promise<void>
  /** Give an API key a new secret, which is shown only once. Old secrets work until a chosen time */
  rollKey(id: string | number, body: KeyRoll, options?: CallOptions): Promise<KeyWithSecret>
  /** List vouchers of one, several or all sites of the key, newest first */
  listVouchers(query?: {
    /** Only this site. May be repeated. Without it: all sites of the key. */
    site_id?: Array<number>
    /** Only vouchers with this id. May be repeated. */
    id?: Array<string>
    /** Only vouchers with this status. May be repeated. */
    status?: Array<"valid" | "used" | "expired" | "revoked">
    /** Only vouchers with this text in the name; upper and lower case are the same. */
    text?: string
    /** Only vouchers with exactly this reference. */
    reference?: string
    /** Only vouchers that this key or person created. */
    created_by?: string
    /** Only vouchers that were created by any API key, by any person, or on the controller itself. */
    source?: "key" | "staff" | "controller"
    /** Only vouchers that nobody has used, as far as the record shows. */
    unused?: true
    /** Only vouchers of this batch. */
    batch_id?: string
    /** Only vouchers that were created after this time, not exactly at it. */
    created_after?: string
    /** Only vouchers that were created before this time, not exactly at it. */
    created_before?: string
    /** Only vouchers whose code begins with this text. */
    code?: string
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    vouchers: Array<Voucher>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
  }>
  /** Create one voucher on the controller of the site. A failure has the header Voucher-Outcome, which says whether a voucher may exist */
  createVoucher(body: VoucherCreation, options?: CallOptions): Promise<Voucher>
  /** Download a list of vouchers as CSV, with the filters of the list, newest first, at most 10,000 */
  exportVouchers(query?: {
    /** Only this site. May be repeated. Without it: all sites of the key. */
    site_id?: Array<number>
    /** Only vouchers with this id. May be repeated. */
    id?: Array<string>
    /** Only vouchers with this status. May be repeated. */
    status?: Array<"valid" | "used" | "expired" | "revoked">
    /** Only vouchers with this text in the name; upper and lower case are the same. */
    text?: string
    /** Only vouchers with exactly this reference. */
    reference?: string
    /** Only vouchers that this key or person created. */
    created_by?: string
    /** Only vouchers that were created by any API key, by any person, or on the controller itself. */
    source?: "key" | "staff" | "controller"
    /** Only vouchers that nobody has used, as far as the record shows. */
    unused?: true
    /** Only vouchers of this batch. */
    batch_id?: string
    /** Only vouchers that were created after this time, not exactly at it. */
    created_after?: string
    /** Only vouchers that were created before this time, not exactly at it. */
    created_before?: string
    /** Only vouchers whose code begins with this text. */
    code?: string
    /** `data` is for programs: the fields of a voucher, with times in UTC. `spreadsheet` is for people: names of sites, local times, and headers, numbers and dates in a language. */
    format?: "data" | "spreadsheet"
    /** The language of a table for people: of its headers, numbers and dates. Without it, Accept-Language decides. */
    language?: "en" | "de"
    /** Without it: a semicolon for a table for people in German, as Excel expects it there, otherwise a comma. */
    separator?: "," | ";"
  }, options?: CallOptions): Promise<string>
  /** Get the outcome of a creation of this API key, by its Idempotency-Key. Creates nothing and does not wait */
  getVoucherOutcome(idempotencyKey: string, options?: CallOptions): Promise<VoucherOutcome>
  /** Check a code that somebody shows or types. The code can be redeemed if a voucher with this code is valid */
  lookUpCode(query: {
    code: string
    /** Only this site. Without it: all sites of the key. */
    site_id?: number
    /** If true, the service asks the controller of site_id now, which takes up to 3 s. Without site_id, it asks only the controllers of recorded vouchers with this code. If the controller does not answer, the answer comes from the record, and fresh is false. */
    fresh?: boolean
  }, options?: CallOptions): Promise<CodeLookUp>
  /** Look up the vouchers of a guest by the beginning of a word in the name, quickly enough to call it while somebody types */
  lookUpName(query: {
    site_id: number
    /** The beginning of the name, without a date, or of a later word in it. Upper and lower case are the same. */
    name: string
  }, options?: CallOptions): Promise<VouchersByName>
  /** Get one voucher */
  getVoucher(id: string | number, options?: CallOptions): Promise<Voucher>
  /** Change the end, the reference or the name of a voucher, for example to extend a stay */
  updateVoucher(id: string | number, body: VoucherChange, options?: CallOptions): Promise<Voucher>
  /** Withdraw one voucher. If it was withdrawn before, the outcome is ended */
  revokeVoucher(id: string | number, options?: CallOptions): Promise<Revocation>
  /** Download the slip of a voucher as a PDF. A key gets slips with the Wi-Fi password only if the site allows it. */
  getSlip(id: string | number, query?: {
    /** `a4-cards`: ten cards on a sheet. The others have a page for each slip; on `80mm` and `58mm` paper, it is as long as its content. */
    paper?: "a4-cards" | "a4" | "a5" | "80mm" | "58mm" | "62x100mm"
    /** A language of the slip. May be repeated. Without it: the first languages of the site. */
    language?: Array<"de" | "en" | "fr" | "it" | "nl" | "es" | "pl" | "cs" | "pt" | "da" | "sv" | "nb" | "fi" | "hu" | "ro" | "hr" | "tr" | "el" | "uk" | "ru">
  }, options?: CallOptions): Promise<Blob>
  /** Download the slip of a voucher as a picture in shades of gray: on `80mm` paper without `paper`, and in the first language if each has a slip. A key gets slips with the Wi-Fi password only if the site allows it. */
  getSlipPicture(id: string | number, query?: {
    /** `a4-cards`: ten cards on a sheet. The others have a page for each slip; on `80mm` and `58mm` paper, it is as long as its content. */
    paper?: "a4-cards" | "a4" | "a5" | "80mm" | "58mm" | "62x100mm"
    /** A language of the slip. May be repeated. Without it: the first languages of the site. */
    language?: Array<"de" | "en" | "fr" | "it" | "nl" | "es" | "pl" | "cs" | "pt" | "da" | "sv" | "nb" | "fi" | "hu" | "ro" | "hr" | "tr" | "el" | "uk" | "ru">
  }, options?: CallOptions): Promise<Blob>
  /** Get what happened to a voucher and who did it, newest first */
  getVoucherHistory(id: string | number, options?: CallOptions): Promise<{
    history: Array<VoucherHistoryEntry>
  }>
  /** Send the code of a voucher to its guest by e-mail. The answer does not wait for the mail server */
  createMessage(id: string | number, body: MessageCreation, options?: CallOptions): Promise<Message>
  /** List the messages about a voucher, newest first. They are kept for 30 days */
  listVoucherMessages(id: string | number, options?: CallOptions): Promise<{
    messages: Array<Message>
  }>
  /** Compute other ends of a voucher in the time zone of its site, for example two days later. Nothing is changed */
  getVoucherEnds(id: string | number, query?: {
    /** An end this many calendar days after the present one, at the same time of day. May be repeated. Ignored if the voucher has no end. */
    days?: Array<number>
    /** An end at this date and time of day in the time zone of the site. */
    until?: string
  }, options?: CallOptions): Promise<VoucherEnds>
  /** List batches of one, several or all sites of the key, newest first */
  listBatches(query?: {
    /** Only this site. May be repeated. Without it: all sites of the key. */
    site_id?: Array<number>
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    batches: Array<Batch>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
  }>
  /** Create up to 1,000 vouchers in the background */
  createBatch(body: BatchCreation, options?: CallOptions): Promise<Batch>
  /** Get one batch and its progress */
  getBatch(id: string | number, options?: CallOptions): Promise<Batch>
  /** List the rows of a batch by number, with the outcome of each */
  listBatchRows(id: string | number, query?: {
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    rows: Array<BatchRow>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
  }>
  /** Download the codes of a batch as CSV, for a spreadsheet or a label printer */
  exportBatch(id: string | number, query?: {
    /** A German Excel expects a semicolon. */
    separator?: "," | ";"
  }, options?: CallOptions): Promise<string>
  /** Download the slips of a batch as a PDF, for all of its vouchers that have not ended. A key gets slips with the Wi-Fi password only if the site allows it. */
  getBatchSlips(id: string | number, query?: {
    /** `a4-cards`: ten cards on a sheet. The others have a page for each slip; on `80mm` and `58mm` paper, it is as long as its content. */
    paper?: "a4-cards" | "a4" | "a5" | "80mm" | "58mm" | "62x100mm"
    /** A language of the slip. May be repeated. Without it: the first languages of the site. */
    language?: Array<"de" | "en" | "fr" | "it" | "nl" | "es" | "pl" | "cs" | "pt" | "da" | "sv" | "nb" | "fi" | "hu" | "ro" | "hr" | "tr" | "el" | "uk" | "ru">
  }, options?: CallOptions): Promise<Blob>
  /** Cancel a batch. Vouchers that were already created stay valid */
  cancelBatch(id: string | number, options?: CallOptions): Promise<Batch>
  /** Retry the rows of a batch that failed or were cancelled */
  retryBatch(id: string | number, options?: CallOptions): Promise<Batch>
  /** Withdraw vouchers by their ids or by a filter */
  revokeVouchers(body: RevocationRequest, options?: CallOptions): Promise<Revocation>
  /** List the revocations that the key may see, newest first */
  listRevocations(query?: {
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    revocations: Array<Revocation>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
  }>
  /** Get one revocation and its progress */
  getRevocation(id: string | number, options?: CallOptions): Promise<Revocation>
  /** List the vouchers of a revocation, with the outcome of each */
  listRevocationRows(id: string | number, query?: {
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    rows: Array<RevocationRow>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
  }>
  /** List who did what, newest first */
  listAudit(query?: {
    /** Only entries with this text in the name of the actor, in the name of the target or in the action; upper and lower case are the same. */
    text?: string
    /** An API key, a person, the command line, or the service itself. */
    actor_kind?: "key" | "staff" | "command" | "service"
    /** Only entries of this key or person. */
    actor_id?: string
    /** Only this action, or this group of actions: `site` includes `site.changed`. May be repeated. */
    action?: Array<string>
    target_kind?: string
    /** Only entries about the target with this id. */
    target_id?: string
    /** Only entries after this time, not exactly at it. */
    after?: string
    /** Only entries before this time, not exactly at it. */
    before?: string
    limit?: number
    /** next_cursor of the previous page. Send it with the same filters. */
    cursor?: string
  }, options?: CallOptions): Promise<{
    entries: Array<AuditEntry>
    /** Cursor of the next page; null on the last one. */
    next_cursor: string | null
    /** Whether the service could change or delete entries, because its role of PostgreSQL may do that. With a role of its own, the service can only read entries and add new ones. */
    can_be_changed: boolean
  }>
  /** Download the audit as CSV, with the filters of the list, newest first, at most 10,000 entries */
  exportAudit(query?: {
    /** Only entries with this text in the name of the actor, in the name of the target or in the action; upper and lower case are the same. */
    text?: string
    /** An API key, a person, the command line, or the service itself. */
    actor_kind?: "key" | "staff" | "command" | "service"
    /** Only entries of this key or person. */
    actor_id?: string
    /** Only this action, or this group of actions: `site` includes `site.changed`. May be repeated. */
    action?: Array<string>
    target_kind?: string
    /** Only entries about the target with this id. */
    target_id?: string
    /** Only entries after this time, not exactly at it. */
    after?: string
    /** Only entries before this time, not exactly at it. */
    before?: string
    /** A German Excel expects a semicolon. */
    separator?: "," | ";"
  }, options?: CallOptions): Promise<string>
}

/** The facts of an operation that the client needs to send it. */
export type Operation = {
  method: string
  path: string
  input?: 'body' | 'file' | 'query'
  idempotencyKey?: 'accepted' | 'required'
}

export const operations: Record<keyof VoucherApi, Operation> = {
  getSession: { method: 'GET', path: '/session' },
  createSession: { method: 'POST', path: '/session', input: 'body' },
  deleteSession: { method: 'DELETE', path: '/session' },
  updateSession: { method: 'PATCH', path: '/session', input: 'body' },
  checkSecondFactor: { method: 'POST', path: '/session/second-factor', input: 'body' },
  createSecondFactorOptions: { method: 'POST', path: '/session/second-factor/passkey-options' },
  checkSignInAgain: { method: 'POST', path: '/session/again', input: 'body' },
  createSignInAgainOptions: { method: 'POST', path: '/session/again/options' },
  checkSetupToken: { method: 'POST', path: '/setup/check', input: 'body' },
  createFirstAdministrator: { method: 'POST', path: '/setup', input: 'body' },
  updatePasswordByLink: { method: 'POST', path: '/password-links', input: 'body' },
  createPasswordLinkByEmail: { method: 'POST', path: '/password-links/by-email', input: 'body' },
  getMe: { method: 'GET', path: '/me' },
  updateMe: { method: 'PATCH', path: '/me', input: 'body' },
  updateMyPassword: { method: 'PUT', path: '/me/password', input: 'body' },
  listMySessions: { method: 'GET', path: '/me/sessions' },
  deleteMySessions: { method: 'DELETE', path: '/me/sessions' },
  deleteMySession: { method: 'DELETE', path: '/me/sessions/{id}' },
  getMySecondFactors: { method: 'GET', path: '/me/second-factors' },
  createAuthenticatorApp: { method: 'POST', path: '/me/authenticator-app' },
  deleteAuthenticatorApp: { method: 'DELETE', path: '/me/authenticator-app' },
  checkAuthenticatorApp: { method: 'POST', path: '/me/authenticator-app/check', input: 'body' },
  enableAuthenticatorApp: { method: 'POST', path: '/me/authenticator-app/activate' },
  createRecoveryCodes: { method: 'POST', path: '/me/recovery-codes' },
  createPasskeyOptions: { method: 'POST', path: '/me/passkeys/options' },
  createPasskey: { method: 'POST', path: '/me/passkeys', input: 'body' },
  updatePasskey: { method: 'PATCH', path: '/me/passkeys/{id}', input: 'body' },
  deletePasskey: { method: 'DELETE', path: '/me/passkeys/{id}' },
  deleteMyIdentity: { method: 'DELETE', path: '/me/identity' },
  listStaff: { method: 'GET', path: '/staff', input: 'query' },
  createPerson: { method: 'POST', path: '/staff', input: 'body' },
  getPerson: { method: 'GET', path: '/staff/{id}' },
  updatePerson: { method: 'PATCH', path: '/staff/{id}', input: 'body' },
  createPasswordLink: { method: 'POST', path: '/staff/{id}/password-link', input: 'query' },
  deletePersonSessions: { method: 'DELETE', path: '/staff/{id}/sessions' },
  deletePersonSecondFactors: { method: 'DELETE', path: '/staff/{id}/second-factors' },
  deletePersonIdentity: { method: 'DELETE', path: '/staff/{id}/identity' },
  getOverview: { method: 'GET', path: '/overview', input: 'query' },
  exportOverview: { method: 'GET', path: '/overview.csv', input: 'query' },
  getHold: { method: 'GET', path: '/hold' },
  getAppearance: { method: 'GET', path: '/settings/appearance' },
  updateAppearance: { method: 'PATCH', path: '/settings/appearance', input: 'body' },
  getAccentColors: { method: 'GET', path: '/settings/appearance/accent-colors', input: 'query' },
  updateHouseLogo: { method: 'PUT', path: '/settings/appearance/logo', input: 'file' },
  deleteHouseLogo: { method: 'DELETE', path: '/settings/appearance/logo' },
  getSecondFactorSettings: { method: 'GET', path: '/settings/second-factor' },
  updateSecondFactorSettings: { method: 'PUT', path: '/settings/second-factor', input: 'body' },
  getSignInSettings: { method: 'GET', path: '/settings/sign-in' },
  updateSignInSettings: { method: 'PATCH', path: '/settings/sign-in', input: 'body' },
  updateSignInGroups: { method: 'PUT', path: '/settings/sign-in/groups', input: 'body' },
  checkSignInGroups: { method: 'POST', path: '/settings/sign-in/dry-run', input: 'body' },
  getGuestDataSettings: { method: 'GET', path: '/settings/guest-data' },
  updateGuestDataSettings: { method: 'PATCH', path: '/settings/guest-data', input: 'body' },
  updateSiteGuestData: { method: 'PUT', path: '/settings/guest-data/sites/{id}', input: 'body' },
  deleteSiteGuestData: { method: 'DELETE', path: '/settings/guest-data/sites/{id}' },
  checkGuestData: { method: 'POST', path: '/settings/guest-data/preview', input: 'body' },
  getMailSettings: { method: 'GET', path: '/settings/mail' },
  updateMailServer: { method: 'PATCH', path: '/settings/mail', input: 'body' },
  deleteMailServer: { method: 'DELETE', path: '/settings/mail' },
  updateMailSender: { method: 'PUT', path: '/settings/mail/sender', input: 'body' },
  deleteMailSender: { method: 'DELETE', path: '/settings/mail/sender' },
  updateSiteMailSender: { method: 'PUT', path: '/settings/mail/senders/{id}', input: 'body' },
  deleteSiteMailSender: { method: 'DELETE', path: '/settings/mail/senders/{id}' },
  testMailServer: { method: 'POST', path: '/settings/mail/test', input: 'body' },
  searchGuests: { method: 'POST', path: '/guests/search', input: 'body' },
  listStoredGuestData: { method: 'POST', path: '/guests/stored', input: 'body' },
  exportGuests: { method: 'POST', path: '/guests/export', input: 'body' },
  eraseGuests: { method: 'POST', path: '/guests/erase', input: 'body' },
  listErasures: { method: 'GET', path: '/erasures', input: 'query' },
  listSites: { method: 'GET', path: '/sites', input: 'query' },
  createSite: { method: 'POST', path: '/sites', input: 'body' },
  getSite: { method: 'GET', path: '/sites/{id}' },
  updateSite: { method: 'PATCH', path: '/sites/{id}', input: 'body' },
  deleteSite: { method: 'DELETE', path: '/sites/{id}' },
  importSites: { method: 'POST', path: '/sites/import', input: 'file' },
  checkSiteImport: { method: 'POST', path: '/sites/import/check', input: 'file' },
  getSiteSettings: { method: 'GET', path: '/sites/{id}/settings' },
  getSiteEffects: { method: 'GET', path: '/sites/{id}/effects' },
  syncSite: { method: 'POST', path: '/sites/{id}/sync' },
  getIssuing: { method: 'GET', path: '/sites/{id}/issuing' },
  getGuestInfo: { method: 'GET', path: '/sites/{id}/guest-info' },
  updateGuestInfo: { method: 'PATCH', path: '/sites/{id}/guest-info', input: 'body' },
  checkSlip: { method: 'POST', path: '/sites/{id}/slip/preview', input: 'body' },
  getLogo: { method: 'GET', path: '/sites/{id}/logo' },
  updateLogo: { method: 'PUT', path: '/sites/{id}/logo', input: 'file' },
  deleteLogo: { method: 'DELETE', path: '/sites/{id}/logo' },
  listControllers: { method: 'GET', path: '/controllers', input: 'query' },
  createController: { method: 'POST', path: '/controllers', input: 'body' },
  checkController: { method: 'POST', path: '/controllers/check', input: 'body' },
  getController: { method: 'GET', path: '/controllers/{id}' },
  updateController: { method: 'PATCH', path: '/controllers/{id}', input: 'body' },
  deleteController: { method: 'DELETE', path: '/controllers/{id}' },
  listControllerSites: { method: 'GET', path: '/controllers/{id}/sites' },
  createControllerSites: { method: 'POST', path: '/controllers/{id}/sites', input: 'body' },
  listTemplates: { method: 'GET', path: '/templates', input: 'query' },
  createTemplate: { method: 'POST', path: '/templates', input: 'body' },
  updateTemplate: { method: 'PATCH', path: '/templates/{id}', input: 'body' },
  deleteTemplate: { method: 'DELETE', path: '/templates/{id}' },
  listWebhooks: { method: 'GET', path: '/webhooks', input: 'query' },
  createWebhook: { method: 'POST', path: '/webhooks', input: 'body' },
  getWebhook: { method: 'GET', path: '/webhooks/{id}' },
  updateWebhook: { method: 'PATCH', path: '/webhooks/{id}', input: 'body' },
  deleteWebhook: { method: 'DELETE', path: '/webhooks/{id}' },
  testWebhook: { method: 'POST', path: '/webhooks/{id}/test' },
  enableWebhook: { method: 'POST', path: '/webhooks/{id}/enable' },
  rotateWebhookSecret: { method: 'POST', path: '/webhooks/{id}/rotate-secret' },
  listDeliveries: { method: 'GET', path: '/webhooks/{id}/deliveries', input: 'query' },
  replayDeliveries: { method: 'POST', path: '/webhooks/{id}/replay', input: 'body' },
  listKeys: { method: 'GET', path: '/keys', input: 'query' },
  createKey: { method: 'POST', path: '/keys', input: 'body', idempotencyKey: 'accepted' },
  getKey: { method: 'GET', path: '/keys/{id}' },
  updateKey: { method: 'PATCH', path: '/keys/{id}', input: 'body' },
  revokeKey: { method: 'DELETE', path: '/keys/{id}' },
  rollKey: { method: 'POST', path: '/keys/{id}/roll', input: 'body' },
  listVouchers: { method: 'GET', path: '/vouchers', input: 'query' },
  createVoucher: { method: 'POST', path: '/vouchers', input: 'body', idempotencyKey: 'accepted' },
  exportVouchers: { method: 'GET', path: '/vouchers.csv', input: 'query' },
  getVoucherOutcome: { method: 'GET', path: '/vouchers/outcome', idempotencyKey: 'required' },
  lookUpCode: { method: 'GET', path: '/vouchers/lookup', input: 'query' },
  lookUpName: { method: 'GET', path: '/vouchers/by-name', input: 'query' },
  getVoucher: { method: 'GET', path: '/vouchers/{id}' },
  updateVoucher: { method: 'PATCH', path: '/vouchers/{id}', input: 'body', idempotencyKey: 'accepted' },
  revokeVoucher: { method: 'DELETE', path: '/vouchers/{id}' },
  getSlip: { method: 'GET', path: '/vouchers/{id}/slip.pdf', input: 'query' },
  getSlipPicture: { method: 'GET', path: '/vouchers/{id}/slip.png', input: 'query' },
  getVoucherHistory: { method: 'GET', path: '/vouchers/{id}/history' },
  createMessage: { method: 'POST', path: '/vouchers/{id}/messages', input: 'body' },
  listVoucherMessages: { method: 'GET', path: '/vouchers/{id}/messages' },
  getVoucherEnds: { method: 'GET', path: '/vouchers/{id}/ends', input: 'query' },
  listBatches: { method: 'GET', path: '/batches', input: 'query' },
  createBatch: { method: 'POST', path: '/batches', input: 'body', idempotencyKey: 'accepted' },
  getBatch: { method: 'GET', path: '/batches/{id}' },
  listBatchRows: { method: 'GET', path: '/batches/{id}/rows', input: 'query' },
  exportBatch: { method: 'GET', path: '/batches/{id}/vouchers.csv', input: 'query' },
  getBatchSlips: { method: 'GET', path: '/batches/{id}/slips.pdf', input: 'query' },
  cancelBatch: { method: 'POST', path: '/batches/{id}/cancel' },
  retryBatch: { method: 'POST', path: '/batches/{id}/retry' },
  revokeVouchers: { method: 'POST', path: '/revocations', input: 'body', idempotencyKey: 'accepted' },
  listRevocations: { method: 'GET', path: '/revocations', input: 'query' },
  getRevocation: { method: 'GET', path: '/revocations/{id}' },
  listRevocationRows: { method: 'GET', path: '/revocations/{id}/rows', input: 'query' },
  listAudit: { method: 'GET', path: '/audit', input: 'query' },
  exportAudit: { method: 'GET', path: '/audit/export', input: 'query' },
}
