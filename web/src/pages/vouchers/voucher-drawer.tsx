import { ActionIcon, Button, Divider, Drawer, Group, Skeleton, Text, Title } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { IconArrowDown, IconArrowUp, IconBan, IconCalendarPlus, IconCopy, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Voucher } from '../../../../client/voucher-api.generated.ts'
import { toApiError } from '../../api.ts'
import { useSecondCode } from '../../components/creation/second-code.ts'
import { Moment } from '../../components/moment.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { EmailButton } from '../../components/voucher/email/email-button.tsx'
import { ExtendDialog } from '../../components/voucher/extend/extend-dialog.tsx'
import { RevokeDialog, useRevocation } from '../../components/voucher/revoke-voucher.tsx'
import { StatusWords } from '../../components/voucher/status-mark.tsx'
import { extendableUntil, hasEnded } from '../../components/voucher/voucher-end.ts'
import { deviceWords, fromFirstUse, qosWords, timeWords } from '../../components/voucher/voucher-words.ts'
import { ZoneNote } from '../../components/zone-note.tsx'
import { useCopy } from '../../hooks/use-copy.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { PrintMenu } from '../../print/print-menu.tsx'
import { useGuestInfo } from '../../queries/guest-info.ts'
import { pollEvery } from '../../queries/polling.ts'
import { voucherQuery } from '../../queries/vouchers.ts'
import { useSiteFacts } from './site-facts.ts'
import { Timeline } from './timeline.tsx'
import { sourceWords } from './voucher-table.tsx'
import classes from './vouchers.module.css'

/** The dialog over the drawer. While it is open, Esc and the keys of the list belong to it. */
export type DrawerDialog = 'revoke' | 'extend' | null

type Props = {
  id: string | undefined
  /** The voucher as the list has it, until it is loaded. */
  listed: Voucher | undefined
  dialog: DrawerDialog
  onDialog: (dialog: DrawerDialog) => void
  onMove: (step: 1 | -1) => void
  onClose: () => void
}

/** One voucher beside the list. It has no overlay, so that the list can be used; on a phone it fills the screen. */
export function VoucherDrawer({ id, listed, dialog, onDialog, onMove, onClose }: Props) {
  const { t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  const { data, error, refetch } = useQuery({
    ...voucherQuery(id),
    ...(listed && { placeholderData: listed }),
    refetchInterval: pollEvery(15_000),
  })
  const head = (
    <Group gap={4} wrap="nowrap" mb="sm">
      <Text span fz={14} style={{ flex: 1 }}>
        {data && <StatusWords status={data.status} />}
      </Text>
      <ActionIcon aria-label={t('vouchers.previous')} onClick={() => onMove(-1)}>
        <IconArrowUp size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon aria-label={t('vouchers.next')} onClick={() => onMove(1)}>
        <IconArrowDown size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon aria-label={t('actions.close')} onClick={onClose}>
        <IconX size={18} aria-hidden />
      </ActionIcon>
    </Group>
  )
  const isGone = error !== null && toApiError(error).status === 404
  const content = (
    <>
      {head}
      {isGone ? (
        <Text role="status">{t('vouchers.not-found')}</Text>
      ) : error && !data ? (
        <ErrorMessage error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Details key={data.id} voucher={data} dialog={dialog} onDialog={onDialog} />
      ) : (
        <Skeleton h={120} />
      )}
    </>
  )
  if (!isPhone)
    return (
      id !== undefined && (
        <BesideList onClose={onClose} closesOnEscape={dialog === null}>
          {content}
        </BesideList>
      )
    )
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      withOverlay={false}
      withCloseButton={false}
      closeOnEscape={dialog === null}
      size="100%"
      padding={0}
      attributes={{ content: { 'aria-label': t('vouchers.voucher') } }}
      styles={{ body: { minHeight: '100%', display: 'grid' }, content: { background: 'var(--vs-panel)' } }}
    >
      <div className={classes.drawer} tabIndex={-1} data-autofocus>
        {content}
      </div>
    </Drawer>
  )
}

type BesideListProps = { onClose: () => void; closesOnEscape: boolean; children: ReactNode }

/** A panel at the right edge. It is not modal: Tab leaves it, and the list can be used. Mantine's drawer is always modal. */
function BesideList({ onClose, closesOnEscape, children }: BesideListProps) {
  const { t } = useTranslation()
  const panel = useRef<HTMLDialogElement>(null)
  useEffect(() => panel.current?.focus(), [])
  useWindowEvent(
    'keydown',
    (event) => {
      const isCovered = document.querySelector('[aria-modal=true], [role=menu], [role=listbox]') !== null
      if (event.key !== 'Escape' || !closesOnEscape || isCovered) return
      event.stopPropagation() // Esc also clears the selection, but only if no voucher is open
      onClose()
    },
    { capture: true },
  )
  useWindowEvent('focusin', ({ target }) => {
    if (panel.current && target instanceof HTMLElement && isBehind(target, panel.current)) onClose()
  })
  return (
    <dialog
      ref={panel}
      open
      className={`${classes.drawer} ${classes.beside}`}
      tabIndex={-1}
      aria-label={t('vouchers.voucher')}
    >
      {children}
    </dialog>
  )
}

/** True for an element of the page that the panel covers, so that nobody would see the focus. */
function isBehind(element: HTMLElement, panel: HTMLElement): boolean {
  if (panel.contains(element) || element.closest('[aria-modal=true], [role=menu], [role=listbox]')) return false
  return element.getBoundingClientRect().left >= panel.getBoundingClientRect().left
}

type DetailsProps = { voucher: Voucher; dialog: DrawerDialog; onDialog: (dialog: DrawerDialog) => void }

function Details({ voucher, dialog, onDialog }: DetailsProps) {
  const { t } = useTranslation()
  const { siteName } = useSiteFacts()
  const { data: guestInfo } = useGuestInfo(voucher.site_id)
  const { isCopied, copy } = useCopy()
  const { revoke, isRevoking, hasFailed } = useRevocation(voucher)
  const { timeZoneOf } = useSiteFacts()
  const timeZone = guestInfo?.time_zone ?? timeZoneOf(voucher.site_id)
  const isOver = hasEnded(voucher)
  const createSecondCode = useSecondCode()
  const close = () => onDialog(null)
  return (
    <>
      <Title order={2} fz={15} style={{ overflowWrap: 'anywhere' }}>
        {voucher.name}
      </Title>
      <div className={`code ${classes.drawerCode}`} {...(isOver && { 'data-ended': true })}>
        {voucher.formatted_code}
      </div>
      <Group gap={8}>
        {!isOver && guestInfo && (
          <PrintMenu
            variant="default"
            vouchers={[voucher]}
            site={{ id: voucher.site_id, name: siteName(voucher.site_id) }}
            guestInfo={guestInfo}
          />
        )}
        {!isOver && guestInfo?.can_send_email && <EmailButton voucher={voucher} guestInfo={guestInfo} px={12} />}
        <Button
          variant="default"
          px={12}
          leftSection={<IconCopy size={16} aria-hidden />}
          onClick={() => copy(voucher.formatted_code)}
        >
          {t(isCopied ? 'actions.copied' : 'desk.copy')}
        </Button>
        {!isOver && guestInfo && !isRevoking && (
          <Button
            variant="default"
            px={12}
            leftSection={<IconCalendarPlus size={16} aria-hidden />}
            onClick={() => onDialog('extend')}
          >
            {t('desk.extend')}
          </Button>
        )}
      </Group>
      <Divider color="var(--vs-line)" my="lg" />
      <Facts voucher={voucher} timeZone={timeZone} />
      <Title order={3} mt="lg" mb="sm">
        {t('vouchers.timeline')}
      </Title>
      <Timeline voucher={voucher} timeZone={timeZone} />
      <Text fz={12} c="dimmed">
        {voucher.synced_at ? (
          <>
            {t('vouchers.synced')} <Moment at={voucher.synced_at} timeZone={timeZone} />
          </>
        ) : (
          t('vouchers.never-synced')
        )}
      </Text>
      <ZoneNote timeZone={timeZone} />
      <div style={{ marginTop: 'auto', paddingTop: 28 }}>
        {isRevoking && (
          <Text fz={13.5} c="var(--vs-warn-text)" role="status">
            {t('desk.revoking')}
          </Text>
        )}
        {hasFailed && (
          <Text fz={13.5} mb="xs" c="var(--vs-bad-text)" role="alert">
            {t('desk.revoke-failed')}
          </Text>
        )}
        {!isOver && !isRevoking && (
          <Button
            variant="subtle"
            color="red"
            ml={-12}
            px={12}
            leftSection={<IconBan size={16} aria-hidden />}
            onClick={() => onDialog('revoke')}
          >
            {t('vouchers.revoke-this')}
          </Button>
        )}
      </div>
      <RevokeDialog voucher={voucher} revoke={revoke} opened={dialog === 'revoke'} onClose={close} />
      {dialog === 'extend' && guestInfo && (
        <ExtendDialog
          voucher={voucher}
          site={{ id: voucher.site_id, name: siteName(voucher.site_id) }}
          guestInfo={guestInfo}
          onClose={close}
          onSecondCode={(first, until) => createSecondCode(first, until, guestInfo)}
        />
      )}
    </>
  )
}

function Facts({ voucher, timeZone }: { voucher: Voucher; timeZone: string }) {
  const { t } = useTranslation()
  const { siteName } = useSiteFacts()
  const { used_count: used, max_uses: most, ends_at: end } = voucher
  const limits = qosWords(t, voucher.qos)
  const extendable = extendableUntil(voucher)
  const facts: [string, ReactNode][] = [
    [t('vouchers.site'), siteName(voucher.site_id)],
    [
      t('vouchers.column-devices'),
      most === 0 ? `${used} · ${deviceWords(t, 0)}` : t('vouchers.devices-in-use', { used, most }),
    ],
    // The minutes of a stay only make its end possible; nobody chose them.
    ...(voucher.valid_until === null
      ? [[t('vouchers.column-valid-for'), fromFirstUse(t, voucher.expire_minutes)] as [string, ReactNode]]
      : []),
    [
      t('vouchers.column-ends'),
      voucher.status === 'revoked' || (hasEnded(voucher) && !end)
        ? '–'
        : end
          ? timeWords(new Date(end), timeZone)
          : t('vouchers.not-used-yet'),
    ],
    ...(extendable
      ? [[t('vouchers.extendable'), t('desk.until', { time: timeWords(extendable, timeZone) })] as [string, ReactNode]]
      : []),
    ...(limits.length > 0 ? [[t('vouchers.limits'), limits.join(' · ')] as [string, ReactNode]] : []),
    ...(voucher.reference
      ? [
          [
            t('vouchers.reference'),
            <span key="reference" className="code">
              {voucher.reference}
            </span>,
          ] as [string, ReactNode],
        ]
      : []),
    [t('vouchers.source'), sourceWords(t, voucher)],
  ]
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
