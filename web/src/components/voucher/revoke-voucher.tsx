import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Voucher } from '../../../../client/voucher-api.generated.ts'
import { revocationQuery, revokeVoucher } from '../../queries/vouchers.ts'
import { ConfirmDialog } from '../dialog.tsx'

type Revoke = ReturnType<typeof useRevocation>['revoke']

type Props = { voucher: Voucher; revoke: Revoke; opened: boolean; onClose: () => void }

/** Asks before a voucher is revoked. */
export function RevokeDialog({ voucher, revoke, opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('desk.revoke-title', { name: voucher.name })}
      action={t('desk.revoke-submit')}
      mutation={{ ...revoke, mutate: () => revoke.mutate(undefined, { onSuccess: onClose }) }}
    >
      {t('desk.revoke-text', { code: voucher.formatted_code })}
    </ConfirmDialog>
  )
}

/** Revokes a voucher, and follows the revocation until the controller has deleted the voucher. */
export function useRevocation({ id: voucherId }: Pick<Voucher, 'id'>) {
  const revoke = useMutation(revokeVoucher(voucherId))
  const id = revoke.data?.id
  const { data } = useQuery(revocationQuery(id))
  const isDone = data?.state === 'done'
  return { revoke, isRevoking: id !== undefined && !isDone, hasFailed: isDone && data.failed + data.kept > 0 }
}
