import { useTranslation } from 'react-i18next'
import { Notice } from '../notice.tsx'
import { useErrorTexts } from '../state-pages.tsx'
import { PasskeyError } from './passkey.ts'

/** Why a passkey did not work: the browser gave none, or the service rejected it. */
export function PasskeyFailure({ error }: { error: Error }) {
  const { t } = useTranslation()
  const { text } = useErrorTexts(error)
  return (
    <Notice tone="bad">{error instanceof PasskeyError ? t(`second-factor.passkey-${error.problem}`) : text}</Notice>
  )
}
