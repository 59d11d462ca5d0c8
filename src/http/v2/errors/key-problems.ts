import type { AdministrationErrorCode } from '#domain/errors.ts'
import { invalidRequest } from './administration-problems.ts'
import type { Problem } from './problems.ts'

/** Failures of API keys that a request of API v2 can cause. Only commands can cause the others. */
export type KeyErrorCode = Exclude<
  Extract<AdministrationErrorCode, `key_${string}`>,
  'key_prefix_reserved' | 'key_prefix_invalid' | 'key_prefix_taken'
>

const conflict = (error: KeyErrorCode, de: string, en: string): Problem => ({
  status: 409,
  error,
  messages: { de, en },
})
const rejected = (error: KeyErrorCode, de: string, en: string): Problem => ({
  status: 400,
  error,
  messages: { de, en },
})

export const keyProblems: Record<KeyErrorCode, Problem> = {
  key_not_found: { status: 404, error: 'not_found', messages: { de: 'Nicht gefunden', en: 'Not found' } },
  key_expiry_required: invalidRequest,
  key_created_before: conflict(
    'key_created_before',
    'Der Schlüssel {prefix} wurde schon erstellt. Sein Geheimnis kann nicht noch einmal gezeigt werden. Erneuern Sie den Schlüssel.',
    'The key {prefix} was already created. Its secret cannot be shown again. Roll the key to get a new secret.',
  ),
  key_revoked: conflict(
    'key_revoked',
    'Der Schlüssel ist widerrufen. Erstellen Sie einen neuen.',
    'The key is revoked. Create a new one.',
  ),
  key_expired: conflict(
    'key_expired',
    'Der Schlüssel ist abgelaufen. Ändern Sie zuerst sein Ablaufdatum.',
    'The key has expired. Change its expiry first.',
  ),
  key_rolled: conflict(
    'key_rolled',
    'Der Schlüssel wurde inzwischen erneuert und beginnt jetzt mit {prefix}. Laden Sie ihn neu, bevor Sie ihn noch einmal erneuern.',
    'The key was rolled in the meantime and now begins with {prefix}. Reload it before you roll it again.',
  ),
  key_grace_passed: rejected(
    'key_grace_passed',
    'old_valid_until muss in der Zukunft liegen. Mit null endet das alte Geheimnis sofort.',
    'old_valid_until must be in the future. Send null to end the old secret at once.',
  ),
  key_grace_too_long: rejected(
    'key_grace_too_long',
    'old_valid_until darf höchstens {max} Tage in der Zukunft liegen',
    'old_valid_until must be at most {max} days in the future',
  ),
}
