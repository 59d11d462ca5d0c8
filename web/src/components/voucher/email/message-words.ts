import type { TFunction } from 'i18next'
import type { Message } from '../../../../../client/voucher-api.generated.ts'
import { addTexts } from '../../../i18n/i18n.ts'
import { orValue } from '../../../newer-values.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

/** "E-mail to a@example.com accepted by the mail server". Nobody knows whether it arrived. */
export function messageWords(t: TFunction, { state, email }: Pick<Message, 'state' | 'email'>): string {
  const known = state === 'prepared' ? 'waiting' : state
  return t(`voucher-email.${known}`, { email: email ?? t('voucher-email.guest'), ...orValue(state) })
}
