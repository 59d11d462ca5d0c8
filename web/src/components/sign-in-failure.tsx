import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ApiError, toApiError } from '../api.ts'
import { useSeconds } from '../clock.ts'
import { Notice } from './notice.tsx'
import { useErrorTexts } from './state-pages.tsx'

/** Why somebody could not sign in. After too many attempts, it counts down. */
export function SignInFailure({ error, waitSeconds }: { error: unknown; waitSeconds: number }) {
  const { t } = useTranslation()
  const { text } = useErrorTexts(error)
  const { error: code } = toApiError(error)
  if (code === 'sign_in_failed') return <Notice tone="bad">{t('sign-in.wrong')}</Notice>
  if (code !== 'sign_ins_too_many') return <Notice tone="bad">{text}</Notice>
  if (waitSeconds === 0) return null
  return (
    <Notice tone="warn">
      <span>
        {t('sign-in.too-many')} <span aria-live="off">{t('sign-in.again-in', { time: minutesOf(waitSeconds) })}</span>
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

/** `1:05`, or `42 s` below a minute. */
function minutesOf(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
