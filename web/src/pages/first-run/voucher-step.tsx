import { Button, Group, Paper, Text } from '@mantine/core'
import { IconArrowRight, IconCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site, Voucher } from '../../../../client/voucher-api.generated.ts'
import { limitWords } from '../../components/voucher/voucher-words.ts'
import { PrintMenu } from '../../print/print-menu.tsx'
import { Announcement } from '../desk/announcement.tsx'
import type { Creation } from '../desk/creation.ts'
import type { DeskStore } from '../desk/desk-store.ts'
import { custom, limitsOf, toRequest } from '../desk/form/desk-input.ts'
import { OutcomeNote } from '../desk/form/outcome-note.tsx'
import classes from './first-run-frame.module.css'
import type { SetupState } from './setup-state.ts'
import { Heading } from './step-parts.tsx'

type Props = { state: SetupState; store: DeskStore; creation: Creation | undefined }

/**
 * Creates the first voucher and shows its code. The store of the desk sends the request: it keeps the Idempotency-Key and finds
 * out the outcome, also after a lost answer or a reload.
 */
export function VoucherStep({ state, store, creation }: Props) {
  const { t } = useTranslation()
  const site = state.sites.find(({ active }) => active) as Site
  const guestInfo = state.guestInfo as GuestInfo
  const timeZone = guestInfo.time_zone
  const status = creation?.status
  const canCreate = status === undefined || status.kind === 'none'
  const isSending = status?.kind === 'sending' || status?.kind === 'signed-out'
  const create = () => {
    const limits = { ...limitsOf(undefined, timeZone), unit: 'hours' as const, amount: 1, devices: 1 }
    const input = { name: t('setup.voucher-name'), choice: custom, limits }
    if (store.getState().current?.key !== creation?.key) store.next() // the desk is busy with another site
    store.submit(toRequest(input, guestInfo), input)
  }
  return (
    <div className={classes.narrow}>
      {status?.kind === 'made' ? (
        <FirstVoucher voucher={status.voucher} site={site} guestInfo={guestInfo} onLeave={store.next} />
      ) : (
        <>
          <Heading title={t('setup.voucher-title')} text={t('setup.voucher-text', { site: site.name })} />
          {creation && <OutcomeNote creation={creation} site={site} timeZone={timeZone} />}
          {(isSending || canCreate) && (
            <Button
              mt="md"
              size="md"
              fz="md"
              loading={isSending}
              rightSection={<IconArrowRight size={16} aria-hidden />}
              onClick={create}
            >
              {t(status?.kind === 'none' ? 'actions.try-again' : 'setup.create')}
            </Button>
          )}
        </>
      )}
      <Announcement creation={creation ?? null} aside={[]} />
    </div>
  )
}

type FirstVoucherProps = {
  voucher: Voucher
  site: Site
  guestInfo: GuestInfo
  /** The desk begins with an empty form. */
  onLeave: () => void
}

function FirstVoucher({ voucher, site, guestInfo, onLeave }: FirstVoucherProps) {
  const { t } = useTranslation()
  const { wifi_name: wifi } = guestInfo
  return (
    <>
      <Heading title={t('setup.works')} text={t('setup.works-text')} />
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
        <Text c="dimmed">{wifi ? t('setup.join', { wifi }) : t('setup.join-unnamed')}</Text>
      </Paper>
      <Group mt="md">
        <Button
          component={Link}
          ref={focus}
          to="/desk"
          onClick={onLeave}
          size="md"
          fz="md"
          rightSection={<IconArrowRight size={16} aria-hidden />}
        >
          {t('actions.to-desk')}
        </Button>
        <PrintMenu variant="default" vouchers={[voucher]} site={site} guestInfo={guestInfo} />
      </Group>
    </>
  )
}

/** Moves the focus, because the button that had it is gone. */
function focus(link: HTMLAnchorElement | null): void {
  link?.focus()
}
