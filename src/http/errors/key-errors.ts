import type { KeyErrorCode } from '#domain/errors.ts'
import { type ErrorEntry, notFound } from './error-entry.ts'

/** Errors of API keys. */
export const keyErrors: Record<KeyErrorCode, ErrorEntry> = {
  key_not_found: {
    ...notFound,
    terminal: 'No key has the prefix or id {named}. List all keys with `voucher-service keys list`.',
  },
  key_prefix_reserved: {
    terminal:
      'The prefix vsk_ is reserved for keys that this service creates. Create one with `voucher-service keys create`.',
  },
  key_prefix_invalid: {
    terminal: 'The prefix is not valid. Use a word, an underscore and eight letters or digits, e.g. abc_1a2B3c4D.',
  },
  key_prefix_taken: {
    terminal: 'A key with the prefix {prefix} exists already. List all keys with `voucher-service keys list`.',
  },
  key_expiry_required: {
    field: { field: 'expires_at', code: 'required' },
    terminal: 'A key with the scope manage must expire. Add --expires, e.g. --expires 90d.',
  },
  key_created_before: {
    status: 409,
    de: 'Der Schlüssel {prefix} wurde schon erstellt. Sein Geheimnis kann nicht noch einmal gezeigt werden. Erneuern Sie den Schlüssel.',
    en: 'The key {prefix} was already created. Its secret cannot be shown again. Roll the key to get a new secret.',
    terminal:
      'The key {prefix} was already created. Its secret cannot be shown again. Roll it with `voucher-service keys roll {prefix} --old-valid-until now`.',
  },
  key_revoked: {
    status: 409,
    de: 'Der Schlüssel ist widerrufen. Erstellen Sie einen neuen.',
    en: 'The key is revoked. Create a new one.',
    terminal: 'The key is revoked. Create a new one with `voucher-service keys create`.',
  },
  key_expired: {
    status: 409,
    de: 'Der Schlüssel ist abgelaufen. Ändern Sie zuerst sein Ablaufdatum.',
    en: 'The key has expired. Change its expiry first.',
    terminal: 'The key has expired. Change its expiry first with `voucher-service keys set --expires`.',
  },
  key_rolled: {
    status: 409,
    de: 'Der Schlüssel wurde inzwischen erneuert und beginnt jetzt mit {prefix}. Laden Sie ihn neu, bevor Sie ihn noch einmal erneuern.',
    en: 'The key was rolled in the meantime and now begins with {prefix}. Reload it before you roll it again.',
    terminal:
      'This is not the current prefix of the key. It was rolled and now begins with {prefix}. To roll it again, use that prefix.',
  },
  key_grace_passed: {
    status: 400,
    field: { field: 'old_valid_until', code: 'in_the_past' },
    de: 'old_valid_until muss in der Zukunft liegen. Mit null endet das alte Geheimnis sofort.',
    en: 'old_valid_until must be in the future. Send null to end the old secret at once.',
    terminal: 'The time of --old-valid-until has passed. To end the old secret at once, use `now`.',
  },
  key_grace_too_long: {
    status: 400,
    field: { field: 'old_valid_until', code: 'out_of_range' },
    de: 'old_valid_until darf höchstens {max} Tage in der Zukunft liegen',
    en: 'old_valid_until must be at most {max} days in the future',
    terminal: 'An old secret may work for at most {max} more days. Use an earlier time.',
  },
}
