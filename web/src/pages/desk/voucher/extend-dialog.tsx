import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { api, toApiError } from '../../../api.ts'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { useFocusAfter } from '../../../components/use-focus-after.ts'
import { useLayout } from '../../../components/use-layout.ts'
import { randomKey } from '../desk-store.ts'
import { limitsOf } from '../form/desk-input.ts'
import { addDays, toInstant, toWallTime } from '../form/zoned-time.ts'
import { timeWords } from '../words.ts'
import { latestEnd } from './voucher-end.ts'

const UntilPicker = lazy(async () => ({ default: (await import('../form/until-picker.tsx')).UntilPicker }))

type Props = {
  voucher: Voucher
  guestInfo: GuestInfo
  onClose: () => void
  onReplace: (voucher: Voucher, until: string) => void
}

const tooLate = ['valid_until_too_late', 'voucher_ended', 'voucher_being_revoked']

/** Changes the end of a voucher. If that is not possible, it offers a second voucher for the same guest. */
export function ExtendDialog({ voucher, guestInfo, onClose, onReplace }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const timeZone = guestInfo.time_zone
  const end = voucher.valid_until ?? voucher.expires_at
  const [until, setUntil] = useState(() =>
    end ? addDays(toWallTime(new Date(end), timeZone), 1) : limitsOf(undefined, timeZone).until,
  )
  const isPhone = useLayout() === 'phone'
  const at = toInstant(until, timeZone)
  const isPast = at.getTime() < Date.now() + 60_000
  const latest = latestEnd(voucher)
  const extend = useMutation({
    mutationFn: () => api.updateVoucher(voucher.id, { valid_until: at.toISOString() }, { idempotencyKey: randomKey() }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['vouchers'] })
      onClose()
    },
  })
  const submit = useFocusAfter(extend.error)
  const isRefused = extend.error !== null && tooLate.includes(toApiError(extend.error).error)
  const needsReplacement = isRefused || (latest !== null && at > latest)
  const reason = () => {
    if (extend.error && isRefused && toApiError(extend.error).error !== 'valid_until_too_late')
      return toApiError(extend.error).message
    return t('desk.extend-limit', { time: timeWords(latest ?? at, timeZone) })
  }

  return (
    <Modal
      opened
      fullScreen={isPhone}
      onClose={onClose}
      title={t('desk.extend-title', { name: voucher.name })}
      closeButtonProps={{ 'aria-label': t('actions.close') }}
    >
      <Stack>
        <Suspense fallback={<Skeleton h={94} />}>
          <UntilPicker
            label={t('desk.until-label')}
            value={until}
            min={toWallTime(new Date(), timeZone)}
            description={t('desk.site-time', { timeZone })}
            error={isPast ? t('desk.wrong-until') : undefined}
            onChange={(next) => {
              extend.reset()
              setUntil(next)
            }}
          />
        </Suspense>
        {needsReplacement && (
          <Text fz={13.5} role="status">
            {reason()} {t('desk.replace-text')}
          </Text>
        )}
        {extend.error && !isRefused && <ErrorMessage error={extend.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('actions.cancel')}
          </Button>
          {needsReplacement ? (
            <Button ref={submit} disabled={isPast} onClick={() => onReplace(voucher, until)}>
              {t('desk.replace')}
            </Button>
          ) : (
            <Button ref={submit} disabled={isPast} loading={extend.isPending} onClick={() => extend.mutate()}>
              {t('desk.extend-submit')}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
