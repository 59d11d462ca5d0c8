/**
 * The columns that can contain data of a guest: a name, a reference, or a hash from which they can be guessed. docs/privacy.md lists
 * the tables for operators. Erasing must empty each of these columns.
 */
export const columnsWithGuests: Record<string, string[]> = {
  batch_rows: ['controller_name', 'name', 'reference'],
  batches: ['reference', 'request_hash'],
  creations: ['controller_name', 'name', 'note', 'reference', 'request_hash'],
  delivery_attempts: ['error', 'reply'],
  events: ['data'],
  messages: ['answer', 'email'],
  remembered_requests: ['request_hash'],
  revocations: ['request_hash'],
  vouchers: ['controller_name', 'name', 'reference'],
}

/** All other columns that can contain text. A new column does not pass until it is decided here whether it has data of guests. */
export const columnsWithoutGuests: Record<string, string[]> = {
  api_key_secrets: ['prefix', 'sha256'],
  api_keys: ['name', 'scope'],
  // Since migration 60, the functions that write it leave out the fields of guests. Older entries are stripped.
  audit: ['action', 'actor_kind', 'actor_name', 'details', 'target_id', 'target_kind'],
  authenticator_apps: ['secret'],
  batch_rows: ['failure', 'message_counters', 'state'],
  batches: ['actor', 'idempotency_key', 'request_hash_key'],
  breaking_migrations: ['breaks_before', 'name', 'reason'],
  controller_outages: ['reason'],
  controllers: [
    ...['address', 'certificate_pin', 'driver', 'name', 'secret', 'session', 'settings'],
    'sign_in_paused_by',
  ],
  creations: ['actor', 'answer', 'idempotency_key', 'issuing_counters', 'request_hash_key', 'state', 'surplus'],
  deliveries: ['state'],
  // Receipts. Their reason is a choice and not a text.
  erasure_items: ['kind'],
  erasures: ['actor_kind', 'actor_name', 'reason'],
  events: ['type'],
  hold: ['reason'],
  identities: ['email', 'groups', 'issuer', 'subject'],
  issuing_counters: ['scope'],
  messages: ['failure', 'id_host', 'kind', 'language', 'link_token', 'state'],
  migrations: ['name'],
  passkey_challenges: ['challenge', 'purpose'],
  passkeys: ['credential_id', 'host', 'name', 'public_key', 'transports'],
  password_links: ['token_sha256'],
  pending_sign_ins: ['signed_in_by', 'token_sha256'],
  rate_limits: ['key'],
  recovery_codes: ['hash'],
  // The result of a change is the id of the voucher.
  remembered_requests: ['actor', 'idempotency_key', 'operation', 'request_hash_key', 'result', 'target'],
  revocations: ['actor', 'idempotency_key', 'request_hash_key'],
  settings: ['file', 'name', 'secret', 'value'],
  setup_token: ['token_sha256'],
  site_days: ['created_by'],
  site_logos: ['bytes', 'type'],
  sites: [
    ...['compared_list', 'controller_site', 'guest_languages', 'name', 'slip_footer', 'slip_lines', 'sync_failure'],
    ...['time_zone', 'wifi_password', 'wifi_ssid'],
  ],
  staff: ['email', 'language', 'name', 'password_hash', 'role', 'theme'],
  staff_sessions: ['signed_in_by', 'token_sha256', 'user_agent'],
  templates: ['name'],
  vouchers: ['code', 'controller_voucher_id', 'status'],
  webhooks: [
    ...['disabled_reason', 'events', 'format', 'host_id', 'language', 'name', 'previous_secret', 'secret'],
    'url',
  ],
  withdrawals: ['disconnected', 'failure', 'outcome', 'reason'],
}
