import { useTranslation } from 'react-i18next'
import type { DayLimit } from '../../../../../client/voucher-api.generated.ts'
import { clockWords } from '../../../components/voucher/voucher-words.ts'
import { addTexts } from '../../../i18n/i18n.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

type Props = { limit: DayLimit; timeZone: string }

/** How many vouchers can still be created today. When the limit is reached, until when. */
export function DayLimitWords({ limit, timeZone }: Props) {
  const { t } = useTranslation()
  const counts = { ...limit, count: limit.limit }
  if (limit.left > 0) return t(limit.of === 'site' ? 'day-limit.left-site' : 'day-limit.left', counts)
  const reached = t(limit.of === 'site' ? 'day-limit.reached-site' : 'day-limit.reached', counts)
  return `${reached} ${t('day-limit.next', { time: clockWords(new Date(limit.until), timeZone) })}`
}
