import { Anchor, Button, Group, Paper, Text, Title } from '@mantine/core'
import { IconArrowRight, IconCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site, Voucher } from '../../../../client/voucher-api.generated.ts'
import { Announcement } from '../../components/creation/announcement.tsx'
import type { Creation } from '../../components/creation/creation.ts'
import { custom, limitsOf, toRequest } from '../../components/creation/desk-input.ts'
import type { DeskStore } from '../../components/creation/desk-store.ts'
import { OutcomeNote } from '../../components/creation/outcome-note.tsx'
import { guestInfoForm } from '../../components/guest-info/guest-info-values.ts'
import { SlipPreview } from '../../components/guest-info/slip-preview.tsx'
import { limitWords } from '../../components/voucher/voucher-words.ts'
import { WifiQr } from '../../components/voucher/wifi-qr.tsx'
import { currentLanguage } from '../../i18n/i18n.ts'
import { PrintMenu } from '../../print/print-menu.tsx'
import { firstVoucherReference, type SetupState } from '../../queries/setup.ts'
import classes from './first-run-frame.module.css'
import { Heading, ignoreSecondClick } from './step-parts.tsx'

type Props = {
  state: SetupState
  store: DeskStore
  creation: Creation | undefined
  /** Goes back to the Wi-Fi, which the person may have skipped. */
  onSlip: () => void
}

/**
 * Creates the first voucher and shows its code. The store of the desk sends the request: it keeps the Idempotency-Key and finds
 * out the outcome, also after a lost answer or a reload.
 */
export function VoucherStep({ state, store, creation, onSlip }: Props) {
  const { t } = useTranslation()
  const site = state.sites.find(({ active }) => active) as Site
  const guestInfo = state.guestInfo as GuestInfo
  const timeZone = guestInfo.time_zone
  const status = creation?.status
  const voucher = status?.kind === 'made' ? status.voucher : state.firstVoucher
  const canCreate = status === undefined || status.kind === 'none'
  const isSending = status?.kind === 'sending' || status?.kind === 'signed-out'
  const create = () => {
    const reference = firstVoucherReference
    const limits = { ...limitsOf(undefined, timeZone), unit: 'hours' as const, amount: 1, devices: 1, reference }
    const input = { name: t('setup.voucher-name'), choice: custom, limits }
    if (store.getState().current?.key !== creation?.key) store.next() // the desk is busy with another site
    // The language is part of the key, because the name of the voucher depends on it.
    store.submit(toRequest(input, guestInfo), input, `${reference}-${site.id}-${currentLanguage()}`)
  }
  return (
    <>
      {voucher ? (
        <FirstVoucher voucher={voucher} site={site} guestInfo={guestInfo} onLeave={store.next} onSlip={onSlip} />
      ) : (
        <div className={classes.narrow}>
          <Heading title={t('setup.voucher-title')} text={t('setup.voucher-text', { site: site.name })} />
          {creation && <OutcomeNote creation={creation} site={site} timeZone={timeZone} />}
          {(isSending || canCreate) && (
            <Button
              mt="md"
              size="md"
              fz="md"
              loading={isSending}
              rightSection={<IconArrowRight size={16} aria-hidden />}
              onClick={(event) => {
                if (event.detail <= 1) create()
              }}
            >
              {t(status?.kind === 'none' ? 'actions.try-again' : 'setup.create')}
            </Button>
          )}
        </div>
      )}
      <Announcement creation={creation ?? null} aside={[]} />
    </>
  )
}

type FirstVoucherProps = {
  voucher: Voucher
  site: Site
  guestInfo: GuestInfo
  /** The desk begins with an empty form. */
  onLeave: () => void
  onSlip: () => void
}

const qrSize = 136

function FirstVoucher({ voucher, site, guestInfo, onLeave, onSlip }: FirstVoucherProps) {
  const { t } = useTranslation()
  const { wifi_name: wifi } = guestInfo
  return (
    <>
      <Heading title={t('setup.works')} text={t('setup.works-text')} />
      <div className={classes.columns}>
        <div>
          <Paper withBorder radius="lg" p={20} bg="var(--vs-panel)">
            <Group justify="space-between" mb={4}>
              <Group gap={8}>
                <IconCheck size={18} aria-hidden color="var(--vs-ok)" />
                <Text fw={600}>{t('setup.voucher')}</Text>
              </Group>
              <Text fz={13} c="dimmed">
                {limitWords(t, voucher, guestInfo.time_zone)}
              </Text>
            </Group>
            <Text className={`code ${classes.code}`}>{voucher.formatted_code}</Text>
            <div className={classes.join}>
              <WifiQr guestInfo={guestInfo} size={qrSize} />
              <Text c="dimmed">
                {wifi ? (
                  t('setup.join', { wifi })
                ) : (
                  <>
                    {t('setup.join-unnamed')}{' '}
                    <Anchor component="button" type="button" fz="inherit" onClick={onSlip}>
                      {t('setup.add-wifi')}
                    </Anchor>
                  </>
                )}
              </Text>
            </div>
          </Paper>
          <Title order={2} mt={28} mb={4}>
            {t('setup.next')}
          </Title>
          <ul className={classes.next}>
            <NextThing title={t('setup.print')} text={t('setup.print-text')}>
              <PrintMenu variant="default" vouchers={[voucher]} site={site} guestInfo={guestInfo} />
            </NextThing>
            <NextThing title={t('setup.invite')} text={t('setup.invite-text')}>
              <Button component={Link} to="/settings" onClick={onLeave} variant="default">
                {t('setup.invite-action')}
              </Button>
            </NextThing>
            <NextThing title={t('setup.logo')} text={t('setup.logo-text')}>
              <Button
                renderRoot={(props) => <Link {...props} to="/settings" search={{ tab: 'appearance' }} />}
                onClick={onLeave}
                variant="default"
              >
                {t('setup.logo-action')}
              </Button>
            </NextThing>
          </ul>
          <Button
            component={Link}
            ref={focus}
            to="/desk"
            mt="lg"
            onClick={(event) => {
              ignoreSecondClick(event)
              if (!event.defaultPrevented) onLeave()
            }}
            size="md"
            fz="md"
            rightSection={<IconArrowRight size={16} aria-hidden />}
          >
            {t('actions.to-desk')}
          </Button>
        </div>
        <SlipPreview
          siteName={site.name}
          values={guestInfoForm(t, guestInfo).initialValues}
          stored={guestInfo}
          voucher={voucher}
        />
      </div>
    </>
  )
}

/** Something that most people do next, with its button. */
function NextThing({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <li>
      <div>
        <Text fw={500}>{title}</Text>
        <Text fz={13} c="dimmed">
          {text}
        </Text>
      </div>
      {children}
    </li>
  )
}

/** Moves the focus, because the button that had it is gone. */
function focus(link: HTMLAnchorElement | null): void {
  link?.focus({ preventScroll: true })
}
