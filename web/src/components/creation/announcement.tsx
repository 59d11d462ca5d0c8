import { VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Creation } from './creation.ts'

type Props = {
  creation: Creation | null
  aside: Creation[]
  /** A sentence after "No voucher was created". */
  hint?: string
}

/** Announces outcomes to screen readers, including those of creations in the background. A code is read digit by digit. */
export function Announcement({ creation, aside, hint = '' }: Props) {
  const { t } = useTranslation()
  const settled = ({ status, request: { name } }: Creation) => {
    if (status.kind === 'made')
      return t('desk.announce-made', { name, code: [...status.voucher.formatted_code].join(' ') })
    return status.kind === 'none' ? t('desk.announce-none', { name }) : ''
  }
  const words = (one: Creation) => {
    if (one.status.kind === 'none') return `${t('desk.none')} ${hint}`
    if (one.status.kind === 'unknown') {
      const text = one.status.trouble === 'refused' ? 'desk.refused' : 'desk.unknown'
      return `${t(text)} ${t(`${text}-text`)}`
    }
    return one.status.kind === 'limited' ? t('desk.limited') : settled(one)
  }
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {[creation ? words(creation) : '', ...aside.map(settled)].filter(Boolean).join(' ')}
    </VisuallyHidden>
  )
}
