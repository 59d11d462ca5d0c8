import { ActionBar, Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBan, IconDownload, IconPrinter } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Voucher } from '../../../../client/voucher-api.generated.ts'
import { api, randomKey } from '../../api.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { errorTexts } from '../../components/state-pages.tsx'
import { hasEnded } from '../../components/voucher/voucher-end.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { currentLanguage } from '../../i18n/i18n.ts'
import { languagesToPrint, readPrintChoice } from '../../print/print-choice.ts'
import { useSiteFacts } from './site-facts.ts'
import classes from './vouchers.module.css'

type Props = {
  vouchers: Voucher[]
  /** Somebody selects on a phone, even if nothing is selected yet. */
  isSelecting: boolean
  isExporting: boolean
  onExport: () => void
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
  const print = usePrintSelected()
  const live = vouchers.filter((voucher) => !hasEnded(voucher))
  const revoke = useMutation({
    mutationFn: (ids: string[]) => api.revokeVouchers({ voucher_ids: ids }, { idempotencyKey: randomKey() }),
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
            loading={print.isPending}
            onClick={() => print.mutate(live)}
          >
            {t('print.print')}
          </Button>
        )}
        {!isPhone && vouchers.length > 0 && (
          <Button
            variant="subtle"
            px={12}
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={isExporting}
            onClick={onExport}
          >
            {t('vouchers.export')}
          </Button>
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
        isBusy={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoke.mutate(live.map(({ id }) => id))}
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
  return useMutation({
    mutationFn: async (vouchers: Voucher[]) => {
      const siteIds = [...new Set(vouchers.map(({ site_id: id }) => id))]
      const [siteId] = siteIds
      if (siteId === undefined) return
      if (siteIds.length > 1) {
        notifications.show({ title: t('vouchers.print-one-site'), message: t('vouchers.print-one-site-text') })
        return
      }
      const { printVouchers } = await import('../../print/print-vouchers.tsx')
      const guestInfo = await api.getGuestInfo(siteId)
      const choice = readPrintChoice()
      const languages = languagesToPrint(choice, guestInfo.guest_languages, currentLanguage())
      const site = { id: siteId, name: siteName(siteId) }
      await printVouchers({ vouchers, site, guestInfo, paper: choice.paper, languages })
    },
    onError: (error) => {
      const { title, text } = errorTexts(t, error)
      notifications.show({ color: 'red', title, message: text })
    },
  })
}
