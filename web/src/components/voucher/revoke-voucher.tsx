import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Revocation, Voucher } from '../../../../client/voucher-api.generated.ts'
import { api, randomKey } from '../../api.ts'
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
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(undefined, { onSuccess: onClose })}
    >
      {t('desk.revoke-text', { code: voucher.formatted_code })}
    </ConfirmDialog>
  )
}

/** Revokes a voucher, and follows the revocation until the controller has deleted the voucher. */
export function useRevocation({ id: voucherId }: Pick<Voucher, 'id'>) {
  const revoke = useMutation({ mutationFn: () => api.revokeVoucher(voucherId, { idempotencyKey: randomKey() }) })
  const id = revoke.data?.id
  const { data } = useRevocationProgress(id)
  const isDone = data?.state === 'done'
  return { revoke, isRevoking: id !== undefined && !isDone, hasFailed: isDone && data.failed + data.kept > 0 }
}

/** A revocation, until it is done. Vouchers are loaded again only when some were settled: a search for them may be expensive. */
export function useRevocationProgress(id: string | undefined) {
  const queries = useQueryClient()
  const queryKey = ['revocation', id]
  return useQuery({
    queryKey,
    enabled: id !== undefined,
    queryFn: async () => {
      const revocation = await api.getRevocation(id ?? '')
      const before = queries.getQueryData<Revocation>(queryKey)
      if (before && settledOf(before) === settledOf(revocation)) return revocation
      const reload = queries.invalidateQueries({ queryKey: ['vouchers'] })
      if (revocation.state === 'done') await reload // otherwise a revoked voucher could be revoked again for a moment
      return revocation
    },
    refetchInterval: ({ state }) => (state.data?.state === 'done' ? false : 1000),
  })
}

function settledOf({ total, pending }: Revocation): number {
  return total - pending
}
