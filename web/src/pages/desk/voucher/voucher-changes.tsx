import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ExtendProps, useExtend } from '../../../components/voucher/extend/extend-dialog.tsx'
import { RevokeDialog, useRevocation } from '../../../components/voucher/revoke-voucher.tsx'
import { hasEnded } from '../../../components/voucher/voucher-end.ts'
import classes from '../desk.module.css'

/** Revoke and extend, for a voucher that still works. */
export function VoucherChanges({ voucher, ...extendProps }: Omit<ExtendProps, 'onClose'>) {
  const { t } = useTranslation()
  const [isRevokeOpen, setIsRevokeOpen] = useState(false)
  const { isRevoking, hasFailed, revoke } = useRevocation(voucher)
  const { extend, extendDialog } = useExtend(extendProps)
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
      <Button variant="subtle" size="compact-md" className={classes.small ?? ''} onClick={() => extend(voucher)}>
        {t('desk.extend')}
      </Button>
      <Button
        variant="subtle"
        size="compact-md"
        color="red"
        className={classes.small ?? ''}
        onClick={() => setIsRevokeOpen(true)}
      >
        {t('desk.revoke')}
      </Button>
      <RevokeDialog voucher={voucher} revoke={revoke} opened={isRevokeOpen} onClose={() => setIsRevokeOpen(false)} />
      {extendDialog}
    </Group>
  )
}
