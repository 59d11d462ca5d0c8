/**
 * The owner of each table: the only folder, or file, whose statements write it. A statement that must write tables of two owners
 * at once uses SQL fragments that the other owner exports.
 */
export const tableOwners: Record<string, string> = {
  vouchers: 'src/domain/record',
  creations: 'src/domain/record',
  withdrawals: 'src/domain/record',
  site_versions: 'src/domain/record',
  site_days: 'src/domain/record',
  issuing_counters: 'src/domain/record',
  batches: 'src/domain/batches',
  batch_rows: 'src/domain/batches',
  messages: 'src/domain/messages',
  erasures: 'src/domain/guests',
  erasure_items: 'src/domain/guests',
  revocations: 'src/domain/revocations',
  sites: 'src/domain/sites',
  site_logos: 'src/domain/sites',
  controllers: 'src/domain/controllers',
  controller_outages: 'src/domain/controllers',
  settings: 'src/domain/settings',
  templates: 'src/domain/templates',
  api_keys: 'src/domain/keys',
  api_key_secrets: 'src/domain/keys',
  api_key_sites: 'src/domain/keys',
  api_key_days: 'src/domain/keys',
  webhooks: 'src/domain/webhooks',
  webhook_sites: 'src/domain/webhooks',
  events: 'src/domain/deliveries',
  deliveries: 'src/domain/deliveries',
  delivery_attempts: 'src/domain/deliveries',
  staff: 'src/domain/people',
  staff_sites: 'src/domain/people',
  staff_sessions: 'src/domain/people',
  staff_addresses: 'src/domain/people',
  password_links: 'src/domain/people',
  identities: 'src/domain/people',
  setup_token: 'src/domain/people',
  authenticator_apps: 'src/domain/people',
  recovery_codes: 'src/domain/people',
  passkeys: 'src/domain/people',
  pending_sign_ins: 'src/domain/people',
  passkey_challenges: 'src/domain/people',
  audit: 'src/domain/audit',
  audit_retention: 'src/domain/audit',
  hold: 'src/domain/hold.queries.ts',
  remembered_requests: 'src/domain/remembered-requests.queries.ts',
  rate_limits: 'src/limits',
  breaking_migrations: 'src/db',
  last_backup: 'src/db',
}

/**
 * Tools that write tables whose names they are given: old rows, the rows of a removed site, encrypted columns, and the history of the
 * demo, which nobody can make through the acts because they happen now.
 */
export const toolsForManyTables = [
  'src/db/retention.queries.ts',
  'src/domain/sites/remove-site.queries.ts',
  'src/domain/secrets/secrets.queries.ts',
  'src/commands/demo/demo.queries.ts',
]
