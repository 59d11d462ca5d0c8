import { Text } from '@mantine/core'
import { IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site } from '../../../../client/voucher-api.generated.ts'
import { clockWords } from '../../components/voucher/voucher-words.ts'
import classes from './outage-line.module.css'

const backShownMs = 4_000

type Props = {
  site: Site
  timeZone: string
  /** A third sentence during an outage. */
  more?: string
}

/** Says before anybody types that the controller does not answer, and for a moment that it answers again. */
export function OutageLine({ site, timeZone, more }: Props) {
  const { t } = useTranslation()
  const since = site.unreachable_since
  const isBack = useJustEnded(since !== null)
  const time = since === null ? '' : clockWords(new Date(since), timeZone)
  const isCertificate = site.state === 'certificate'
  const tone = since !== null ? 'warn' : isBack ? 'ok' : undefined
  return (
    <div
      className={classes.line}
      role="status"
      {...(tone && { 'data-tone': tone })}
      {...(more !== undefined && { 'data-lines': 2 })}
    >
      {tone === 'warn' && <IconPlugConnectedX size={18} stroke={1.7} aria-hidden />}
      {tone === 'ok' && <IconPlugConnected size={18} stroke={1.7} aria-hidden />}
      {since !== null && (
        <Text span inherit c="dimmed">
          <Text span inherit fw={600} c="var(--mantine-color-text)">
            {t(isCertificate ? 'outage.certificate' : 'outage.since', { time })}
          </Text>{' '}
          {[t(isCertificate ? 'outage.certificate-what' : 'outage.go-on'), !isCertificate && more]
            .filter(Boolean)
            .join(' ')}
        </Text>
      )}
      {since === null && isBack && (
        <Text span inherit fw={600}>
          {t('outage.back')}
        </Text>
      )}
    </div>
  )
}

/** True for a moment after `isOn` has become false. */
function useJustEnded(isOn: boolean): boolean {
  const [hasEnded, setHasEnded] = useState(false)
  const wasOn = useRef(isOn)
  useEffect(() => {
    setHasEnded(wasOn.current && !isOn)
    wasOn.current = isOn
    const timer = setTimeout(setHasEnded, backShownMs, false)
    return () => clearTimeout(timer)
  }, [isOn])
  return hasEnded
}
