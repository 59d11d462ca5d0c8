import { Button, Group, Text } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { StatusWords } from '../../../components/voucher/status-mark.tsx'
import { hasEnded } from '../../../components/voucher/voucher-end.ts'
import { limitWords, validityWords } from '../../../components/voucher/voucher-words.ts'
import { useCopy } from '../../../hooks/use-copy.ts'
import { useLayout } from '../../../hooks/use-layout.ts'
import { useKeys } from '../../../keys.ts'
import { PrintMenu } from '../../../print/print-menu.tsx'
import classes from '../desk.module.css'
import { VoucherChanges } from './voucher-changes.tsx'
import { WifiQr } from './wifi-qr.tsx'

/** The second click of a double click must not hide the code. */
const ignoreNextMs = 600

type Props = {
  voucher: Voucher
  site: Site
  guestInfo: GuestInfo
  /** True if the voucher was made just now and was not opened from the list. */
  isNew: boolean
  onNext: () => void
  /** Creates another voucher for the same guest, valid until this time. */
  onReplace: (voucher: Voucher, until: string) => void
}

/** The code to hand over, the steps for the guest, and the actions for the voucher. */
export function VoucherPanel({ voucher, site, guestInfo, isNew, onNext, onReplace }: Props) {
  const { t } = useTranslation()
  const { isCopied, copy } = useCopy()
  const timeZone = guestInfo.time_zone
  const isOver = hasEnded(voucher)
  const isPhone = useLayout() === 'phone'
  const panel = useRef<HTMLDivElement>(null)
  const shownAt = useRef(0)
  useEffect(() => {
    shownAt.current = Date.now()
    panel.current?.focus({ preventScroll: true })
    scrollTo({ top: 0 }) // on a phone the list is below the panel
  }, [voucher.id])
  const next = () => {
    if (!isNew || Date.now() - shownAt.current > ignoreNextMs) onNext()
  }
  const copyCode = () => copy(voucher.formatted_code)
  useKeys([
    { hotkey: 'c', shown: ['C'], label: t('desk.copy-code'), run: copyCode },
    { hotkey: 'n', shown: ['N'], label: t('desk.next-guest'), run: next },
  ])

  return (
    <div ref={panel} tabIndex={-1} className={classes.result} style={{ outline: 'none' }}>
      <Group justify="space-between" gap="0 16px">
        <Group gap={8} wrap="nowrap" miw={0}>
          {isNew && <IconCheck size={18} color="var(--vs-ok-text)" aria-hidden style={{ flex: 'none' }} />}
          <Text fw={600} fz={15} lineClamp={2} title={voucher.name}>
            {voucher.name}
          </Text>
        </Group>
        <Text fz={13.5} c="dimmed" ta="right">
          {!isNew && (
            <>
              <StatusWords status={voucher.status} />
              {' · '}
            </>
          )}
          {limitWords(t, voucher, timeZone)}
        </Text>
      </Group>
      <div className={`code ${classes.code}`} {...(isOver && { 'data-ended': true })}>
        {voucher.formatted_code}
      </div>
      {isOver ? (
        <Text c="dimmed">{t('desk.over')}</Text>
      ) : (
        <div className={classes.guide}>
          <WifiQr guestInfo={guestInfo} size={isPhone ? 104 : 136} />
          <Steps voucher={voucher} guestInfo={guestInfo} />
        </div>
      )}
      {!isNew && <VoucherChanges voucher={voucher} guestInfo={guestInfo} onReplace={onReplace} />}
      <div className={classes.actions}>
        {!isOver && (
          <div className={classes.print}>
            <PrintMenu vouchers={[voucher]} site={site} guestInfo={guestInfo} />
          </div>
        )}
        <Button h={42} variant="default" leftSection={<IconCopy size={18} aria-hidden />} onClick={copyCode}>
          {t(isCopied ? 'actions.copied' : 'desk.copy')}
          <kbd className={classes.key} style={{ marginLeft: 10 }} aria-hidden>
            C
          </kbd>
        </Button>
        <Button h={42} variant="default" className={classes.last ?? ''} onClick={next}>
          {t(isNew ? 'desk.next-guest' : 'desk.back-to-form')}
          <kbd className={classes.key} style={{ marginLeft: 10 }} aria-hidden>
            N
          </kbd>
        </Button>
      </div>
    </div>
  )
}

/** The steps for the guest: connect, then enter the code. */
function Steps({ voucher, guestInfo }: { voucher: Voucher; guestInfo: GuestInfo }) {
  const { t } = useTranslation()
  const [before, after] = t('desk.scan-or-choose', { wifi: '\n' }).split('\n')
  return (
    <ol className={classes.steps}>
      <li>
        <span className={classes.number} aria-hidden>
          {1}
        </span>
        <span>
          <Text fw={500}>{t('desk.connect')}</Text>
          <Text fz={13.5} c="dimmed">
            {guestInfo.wifi_name === null ? (
              t('desk.wifi-unnamed')
            ) : (
              <>
                {before}
                <Text span inherit fw={600} c="var(--mantine-color-text)">
                  {guestInfo.wifi_name}
                </Text>
                {after}
              </>
            )}
          </Text>
        </span>
      </li>
      <li>
        <span className={classes.number} aria-hidden>
          {2}
        </span>
        <span>
          <Text fw={500}>{t('desk.enter-code')}</Text>
          <Text fz={13.5} c="dimmed">
            {t('desk.valid-for', { validity: validityWords(t, voucher, guestInfo.time_zone) })}
          </Text>
        </span>
      </li>
    </ol>
  )
}
