import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ApiError, toApiError } from '../api.ts'
import { useSeconds } from '../clock.ts'
import { Notice } from './notice.tsx'
import { useErrorTexts } from './state-pages.tsx'

type Props = {
  error: unknown
  waitSeconds: number
  /** The sentence that says when to go on, if it is not simply another try. */
  goOn?: (time: string) => string
}

/** Why somebody could not sign in. After too many attempts, it counts down. */
export function SignInFailure({ error, waitSeconds, goOn }: Props) {
  const { t } = useTranslation()
  const { text } = useErrorTexts(error)
  const { error: code } = toApiError(error)
  if (code === 'sign_in_failed') return <Notice tone="bad">{t('sign-in.wrong')}</Notice>
  if (code !== 'sign_ins_too_many') return <Notice tone="bad">{text}</Notice>
  if (waitSeconds === 0) return null
  const time = waitSeconds < 60 ? `${waitSeconds} s` : `${Math.ceil(waitSeconds / 60)} min`
  return (
    <Notice tone="warn">
      <span>
        {t('sign-in.too-many')} <span aria-live="off">{goOn ? goOn(time) : t('sign-in.again-in', { time })}</span>
      </span>
    </Notice>
  )
}

/** Seconds until the service accepts the next attempt. */
export function useCountdown(error: ApiError | undefined): number {
  const [end, setEnd] = useState(0)
  const wait = error?.retry_after ?? 0
  useEffect(() => setEnd(Date.now() + wait * 1000), [error, wait])
  const now = useSeconds(end > Date.now())
  return wait > 0 ? Math.max(0, Math.ceil((end - now) / 1000)) : 0
}
