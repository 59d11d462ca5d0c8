import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { api } from '../../../api.ts'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { useFocusAfter } from '../../../components/use-focus-after.ts'
import { useLayout } from '../../../components/use-layout.ts'
import classes from '../desk.module.css'
import { randomKey } from '../desk-store.ts'
import { ExtendDialog } from './extend-dialog.tsx'
import { hasEnded } from './voucher-end.ts'

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
  const isPhone = useLayout() === 'phone'
  const submit = useFocusAfter(revoke.error)
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
      <Modal
        opened={open === 'revoke'}
        fullScreen={isPhone}
        onClose={close}
        title={t('desk.revoke-title', { name: voucher.name })}
        closeButtonProps={{ 'aria-label': t('actions.close') }}
      >
        <Stack>
          <Text>{t('desk.revoke-text', { code: voucher.formatted_code })}</Text>
          {revoke.error && <ErrorMessage error={revoke.error} />}
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={close}>
              {t('actions.cancel')}
            </Button>
            <Button
              ref={submit}
              color="red"
              loading={revoke.isPending}
              onClick={() => revoke.mutate(undefined, { onSuccess: close })}
            >
              {t('desk.revoke-submit')}
            </Button>
          </Group>
        </Stack>
      </Modal>
      {open === 'extend' && (
        <ExtendDialog voucher={voucher} guestInfo={guestInfo} onClose={close} onReplace={onReplace} />
      )}
    </Group>
  )
}

/** Follows a revocation until the controller has deleted the voucher. */
function useRevocation({ id: voucherId }: Voucher) {
  const queries = useQueryClient()
  const revoke = useMutation({ mutationFn: () => api.revokeVoucher(voucherId, { idempotencyKey: randomKey() }) })
  const id = revoke.data?.id
  const { data } = useQuery({
    queryKey: ['revocation', id],
    enabled: id !== undefined,
    queryFn: async () => {
      const revocation = await api.getRevocation(id ?? '')
      await queries.invalidateQueries({ queryKey: ['vouchers'] })
      return revocation
    },
    refetchInterval: ({ state }) => (state.data?.state === 'done' ? false : 1000),
  })
  const isDone = data?.state === 'done'
  return { revoke, isRevoking: id !== undefined && !isDone, hasFailed: isDone && data.failed + data.kept > 0 }
}
