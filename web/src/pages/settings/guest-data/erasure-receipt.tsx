import { Button, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { ErasureResult } from '../../../../../client/voucher-api.generated.ts'
import { Notice } from '../../../components/notice.tsx'
import { dayAndClock, formatNumber, formatTime } from '../../../formats.ts'
import { useCopy } from '../../../hooks/use-copy.ts'
import { useScopeZone } from '../../../sites.ts'
import classes from './guest-data.module.css'
import { placeWords } from './stored-data.tsx'

/** What was erased, with the number under which the receipt is found. It gets the focus, which the closed dialog has lost. */
export function ErasureReceipt({ erasure: { id, at, entries, waiting, remains } }: { erasure: ErasureResult }) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const { isCopied, copy } = useCopy()
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => element.current?.focus(), [])
  return (
    <div ref={element} tabIndex={-1} className={classes.receipt}>
      <Notice
        tone="ok"
        title={
          entries > 0
            ? t('guest-data.erased', { count: entries, number: formatNumber(entries) })
            : t('guest-data.scheduled')
        }
      >
        {waiting > 0 && (
          <Text fz="inherit">{t('guest-data.waiting', { count: waiting, number: formatNumber(waiting) })}</Text>
        )}
        <dl className={classes.facts}>
          <dt>{t('guest-data.receipt-date')}</dt>
          <dd>{formatTime(at, { ...dayAndClock, year: 'numeric', timeZone })}</dd>
          <dt>{t('guest-data.receipt-number')}</dt>
          <dd className="code">{id}</dd>
        </dl>
        {remains.length > 0 && (
          <Text fz="inherit">
            {t('guest-data.remains', {
              places: remains.map((place) => `${placeWords(t, place)} (${formatNumber(place.entries)})`).join(', '),
            })}
          </Text>
        )}
        <Text fz="inherit">{t('guest-data.receipt-text')}</Text>
        <Button variant="default" mt="sm" onClick={() => copy(id)}>
          {t(isCopied ? 'actions.copied' : 'guest-data.copy-number')}
        </Button>
      </Notice>
    </div>
  )
}
