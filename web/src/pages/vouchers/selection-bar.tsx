import { ActionBar, Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBan, IconPrinter } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Voucher } from '../../../../client/voucher-api.generated.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { hasEnded } from '../../components/voucher/voucher-end.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { usePrint } from '../../print/use-print.ts'
import { useLoadGuestInfo } from '../../queries/guest-info.ts'
import { type ExportFormat, revokeVouchers } from '../../queries/vouchers.ts'
import { useSiteFacts } from './site-facts.ts'
import { VoucherExport } from './voucher-export.tsx'
import classes from './vouchers.module.css'

type Props = {
  vouchers: Voucher[]
  /** Somebody selects on a phone, even if nothing is selected yet. */
  isSelecting: boolean
  isExporting: boolean
  onExport: (format: ExportFormat) => void
  onRevoked: (revocationId: string) => void
  onClose: () => void
}

/** The bar is in the middle of the content, not of the window. */
const navigationWidths = { phone: 0, rail: 64, full: 248 }

/** The dark bar at the bottom, for the vouchers that are selected. */
export function SelectionBar({ vouchers, isSelecting, isExporting, onExport, onRevoked, onClose }: Props) {
  const { t } = useTranslation()
  const layout = useLayout()
  const isPhone = layout === 'phone'
  const [isAsking, setIsAsking] = useState(false)
  const { isPrinting, printSelected } = usePrintSelected()
  const live = vouchers.filter((voucher) => !hasEnded(voucher))
  const revoke = useMutation({
    ...revokeVouchers,
    onSuccess: ({ id }) => {
      setIsAsking(false)
      onRevoked(id)
    },
  })
  return (
    <>
      <ActionBar
        opened={vouchers.length > 0 || isSelecting}
        onClose={onClose}
        zIndex={150}
        position={{
          bottom: isPhone ? 'calc(70px + env(safe-area-inset-bottom))' : 24,
          left: navigationWidths[layout],
          right: 0,
        }}
        transitionProps={{ duration: 0 }}
        className={classes.bar ?? ''}
        aria-label={t('vouchers.selected-actions')}
      >
        <Text span fz={13.5} px={8} role="status">
          {t('vouchers.selected', { count: vouchers.length })}
        </Text>
        <ActionBar.Divider />
        {live.length > 0 && (
          <Button
            variant="subtle"
            px={isPhone ? 8 : 12}
            leftSection={!isPhone && <IconPrinter size={16} aria-hidden />}
            loading={isPrinting}
            onClick={() => printSelected(live)}
          >
            {t('print.print')}
          </Button>
        )}
        {!isPhone && vouchers.length > 0 && (
          <VoucherExport variant="subtle" px={12} isBusy={isExporting} onExport={onExport} />
        )}
        {live.length > 0 && (
          <Button
            variant="subtle"
            px={isPhone ? 8 : 12}
            data-bad
            leftSection={!isPhone && <IconBan size={16} aria-hidden />}
            onClick={() => setIsAsking(true)}
          >
            {t('vouchers.revoke', { count: live.length })}
          </Button>
        )}
        <ActionBar.Divider />
        <ActionBar.CloseButton aria-label={t('vouchers.unselect')} />
      </ActionBar>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title={t('vouchers.revoke-title', { count: live.length })}
        action={t('vouchers.revoke-submit', { count: live.length })}
        mutation={{ ...revoke, mutate: () => revoke.mutate(live.map(({ id }) => id)) }}
      >
        {t('vouchers.revoke-text', { count: live.length })}
      </ConfirmDialog>
    </>
  )
}

/** Prints on the paper and in the languages that were chosen last. Slips of one site share a sheet. */
function usePrintSelected() {
  const { t } = useTranslation()
  const { siteName } = useSiteFacts()
  const loadGuestInfo = useLoadGuestInfo()
  const { isPrinting, print } = usePrint()
  const printSelected = (vouchers: Voucher[]) => {
    const [id, ...others] = new Set(vouchers.map(({ site_id: siteId }) => siteId))
    if (id === undefined) return
    if (others.length > 0)
      return notifications.show({ title: t('vouchers.print-one-site'), message: t('vouchers.print-one-site-text') })
    print(async () => ({ vouchers, site: { id, name: siteName(id) }, guestInfo: await loadGuestInfo(id) }))
  }
  return { isPrinting, printSelected }
}
