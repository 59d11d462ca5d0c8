import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { ExtendDialog } from '../../../components/voucher/extend-dialog.tsx'
import { RevokeDialog, useRevocation } from '../../../components/voucher/revoke-voucher.tsx'
import { hasEnded } from '../../../components/voucher/voucher-end.ts'
import classes from '../desk.module.css'

type Props = {
  voucher: Voucher
  guestInfo: GuestInfo
  onReplace: (voucher: Voucher, until: string) => void
}

/** Revoke and extend, for a voucher that still works. */
export function VoucherChanges({ voucher, guestInfo, onReplace }: Props) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<'revoke' | 'extend' | null>(null)
  const { isRevoking, hasFailed, revoke } = useRevocation(voucher)
  const close = () => setOpen(null)
  if (hasEnded(voucher)) return null
  if (isRevoking)
    return (
      <Text fz={13.5} mt="md" c="var(--vs-warn-text)" role="status">
        {t('desk.revoking')}
      </Text>
    )
  return (
    <Group gap="xs" mt="md" ml={-12}>
      {hasFailed && (
        <Text fz={13.5} w="100%" pl={12} c="var(--vs-bad-text)" role="alert">
          {t('desk.revoke-failed')}
        </Text>
      )}
      <Button variant="subtle" size="compact-md" className={classes.small ?? ''} onClick={() => setOpen('extend')}>
        {t('desk.extend')}
      </Button>
      <Button
        variant="subtle"
        size="compact-md"
        color="red"
        className={classes.small ?? ''}
        onClick={() => setOpen('revoke')}
      >
        {t('desk.revoke')}
      </Button>
      <RevokeDialog voucher={voucher} revoke={revoke} opened={open === 'revoke'} onClose={close} />
      {open === 'extend' && (
        <ExtendDialog voucher={voucher} guestInfo={guestInfo} onClose={close} onReplace={onReplace} />
      )}
    </Group>
  )
}
