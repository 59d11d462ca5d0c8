import { Button, Group, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { IconCheck, IconCopy, IconMail, IconShare } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { type RefObject, Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { filled } from '../../../components/filled.tsx'
import { StatusWords } from '../../../components/voucher/status-mark.tsx'
import { hasEnded } from '../../../components/voucher/voucher-end.ts'
import { joinWords, limitWords, validityWords } from '../../../components/voucher/voucher-words.ts'
import qrClasses from '../../../components/voucher/wifi-qr.module.css'
import type { WallTime } from '../../../components/voucher/zoned-time.ts'
import { ZoneNote } from '../../../components/zone-note.tsx'
import { useCopy } from '../../../hooks/use-copy.ts'
import { useLayout } from '../../../hooks/use-layout.ts'
import { lazyPart } from '../../../new-version.tsx'
import { PrintMenu } from '../../../print/print-menu.tsx'
import { useShortcuts } from '../../../shortcuts.ts'
import classes from '../desk.module.css'
import { VoucherChanges } from './voucher-changes.tsx'

/** The desk loads it after its first paint, so that it is there with the first voucher. */
export const loadWifiQr = async () => (await import('../../../components/voucher/wifi-qr.tsx')).WifiQr
const WifiQr = lazyPart(loadWifiQr)
const EmailButton = lazyPart(
  async () => (await import('../../../components/voucher/email/email-button.tsx')).EmailButton,
)

const MessageOutcome = lazyPart(
  async () => (await import('../../../components/voucher/email/message-outcome.tsx')).MessageOutcome,
)

/** The second press of a double press must not hide the code. */
const ignoreNextMs = 600

type Props = {
  voucher: Voucher
  site: Site
  guestInfo: GuestInfo
  /** True if the voucher was made just now and was not opened from the list. */
  isNew: boolean
  /** Names the site. Otherwise the app shows only this site, and its name stands above the navigation. */
  withSite: boolean
  /** The address of the e-mail that the creation of the voucher sent. */
  sentTo: string | undefined
  onNext: () => void
  /** Revokes the voucher and returns to the form with its text. Only for a new voucher. */
  onUndo: () => void
  /** Creates a second voucher for the same guest, valid until this time. */
  onSecondCode: (voucher: Voucher, until: WallTime) => void
}

/** The code to hand over, the steps for the guest, and the actions for the voucher. */
export function VoucherPanel({
  voucher,
  site,
  guestInfo,
  isNew,
  withSite,
  sentTo,
  onNext,
  onUndo,
  onSecondCode,
}: Props) {
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
  const canUndo = isNew && !isOver
  useShortcuts([
    { hotkey: 'c', shown: ['C'], label: t('desk.copy-code'), run: copyCode },
    { hotkey: 'n', shown: ['N'], label: t('desk.next-guest'), run: next },
    ...(isNew ? [{ shown: ['⏎'], label: t('desk.next-guest') }] : []),
    ...(canUndo ? [{ hotkey: 'mod+Z', shown: [t('undo.key')], label: t('undo.undo-what'), run: onUndo }] : []),
  ])
  useEnter(panel, () => isNew && next())
  const qrSize = isPhone ? 104 : 136

  return (
    <div ref={panel} tabIndex={-1} className={classes.result}>
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
          {joinWords(withSite ? site.name : '', limitWords(t, voucher, timeZone))}
        </Text>
      </Group>
      <div className={`code ${classes.code}`} {...(isOver && { 'data-ended': true })}>
        {voucher.formatted_code}
      </div>
      {isOver ? (
        <Text c="dimmed">{t('desk.over')}</Text>
      ) : (
        <div className={classes.guide}>
          <Suspense fallback={guestInfo.wifi_name && <QrPlace size={qrSize} />}>
            <WifiQr guestInfo={guestInfo} size={qrSize} />
          </Suspense>
          <Steps voucher={voucher} guestInfo={guestInfo} />
        </div>
      )}
      {sentTo !== undefined && (
        <Group mt="md" gap={8} wrap="nowrap" align="flex-start" fz={13.5} mih={22}>
          <IconMail size={18} style={{ flex: 'none' }} aria-hidden />
          <Suspense>
            <MessageOutcome voucher={voucher} sent={{ email: sentTo, state: 'prepared' }} />
          </Suspense>
        </Group>
      )}
      {!isNew && <VoucherChanges voucher={voucher} site={site} guestInfo={guestInfo} onSecondCode={onSecondCode} />}
      {canUndo && (
        <Group mt="md" ml={-12}>
          <Button variant="subtle" size="compact-md" className={classes.small ?? ''} onClick={onUndo}>
            {t('undo.undo')}
            <kbd className={classes.key} style={{ marginLeft: 10 }} aria-hidden>
              {t('undo.key')}
            </kbd>
          </Button>
        </Group>
      )}
      <div className={classes.actions}>
        {!isOver && (
          <div className={classes.print}>
            <PrintMenu vouchers={[voucher]} site={site} guestInfo={guestInfo} withAfterCreating />
          </div>
        )}
        {!isOver && guestInfo.can_send_email && (
          <Suspense fallback={<Button h={42} w={110} variant="default" disabled aria-hidden />}>
            <EmailButton voucher={voucher} guestInfo={guestInfo} h={42} />
          </Suspense>
        )}
        <Button h={42} variant="default" leftSection={<IconCopy size={18} aria-hidden />} onClick={copyCode}>
          {t(isCopied ? 'actions.copied' : 'desk.copy')}
          <kbd className={classes.key} style={{ marginLeft: 10 }} aria-hidden>
            C
          </kbd>
        </Button>
        {isPhone && !isOver && 'share' in navigator && (
          <Button
            h={42}
            variant="default"
            leftSection={<IconShare size={18} aria-hidden />}
            onClick={() => share(shareText(t, voucher, guestInfo))}
          >
            {t('share.share')}
          </Button>
        )}
        <Button h={42} variant="default" className={classes.last ?? ''} onClick={next}>
          {t(isNew ? 'desk.next-guest' : 'desk.back-to-form')}
          <kbd className={classes.key} style={{ marginLeft: 10 }} aria-hidden>
            {isNew ? '⏎' : 'N'}
          </kbd>
        </Button>
      </div>
    </div>
  )
}

/** The browser rejects when the person chooses nobody. Then there is nothing to say. */
function share(text: string): void {
  navigator.share({ text }).catch(() => {})
}

function shareText(t: TFunction, { formatted_code: code }: Voucher, { wifi_name: wifi }: GuestInfo): string {
  return wifi === null ? t('share.text-unnamed', { code }) : t('share.text', { wifi, code })
}

/** Enter, unless an element such as a button or a field uses it. A key that is held down since the form is no press. */
function useEnter(panel: RefObject<HTMLElement | null>, run: () => void): void {
  useWindowEvent('keydown', ({ key, repeat, target }) => {
    if (key === 'Enter' && !repeat && (target === panel.current || target === document.body)) run()
  })
}

/** Keeps the place of the QR code while its script is loaded. */
function QrPlace({ size }: { size: number }) {
  return (
    <div className={qrClasses.qr}>
      <svg width={size} height={size} aria-hidden />
    </div>
  )
}

/** The steps for the guest: connect, then enter the code. */
function Steps({ voucher, guestInfo }: { voucher: Voucher; guestInfo: GuestInfo }) {
  const { t } = useTranslation()
  const wifiName = (
    <Text span inherit fw={600} c="var(--mantine-color-text)">
      {guestInfo.wifi_name}
    </Text>
  )
  return (
    <ol className={classes.steps}>
      <li>
        <span className={classes.number} aria-hidden>
          {1}
        </span>
        <span>
          <Text fw={500}>{t('desk.connect')}</Text>
          <Text fz={13.5} c="dimmed">
            {guestInfo.wifi_name === null
              ? t('desk.wifi-unnamed')
              : filled(t('desk.scan-or-choose', { wifi: '\n' }), wifiName)}
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
          {voucher.ends_at && <ZoneNote timeZone={guestInfo.time_zone} />}
        </span>
      </li>
    </ol>
  )
}
