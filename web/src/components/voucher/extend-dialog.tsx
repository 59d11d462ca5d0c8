import { Button, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type RefObject, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Voucher } from '../../../../client/voucher-api.generated.ts'
import { api, randomKey, toApiError } from '../../api.ts'
import { useFocusAfter } from '../../hooks/use-focus-after.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { lazyPart } from '../../new-version.tsx'
import { DialogActions } from '../dialog.tsx'
import { ErrorMessage } from '../state-pages.tsx'
import { latestEnd } from './voucher-end.ts'
import { timeWords } from './voucher-words.ts'
import { addDays, toInstant, tomorrowAt11, toWallTime } from './zoned-time.ts'

const UntilPicker = lazyPart(async () => (await import('./until-picker.tsx')).UntilPicker)

type Props = {
  voucher: Voucher
  guestInfo: GuestInfo
  onClose: () => void
  /** Creates a second voucher. Without it, the dialog has a link to the desk. */
  onReplace?: ((voucher: Voucher, until: string) => void) | undefined
}

const tooLate = ['valid_until_too_late', 'voucher_ended', 'voucher_being_revoked']

/** Changes the end of a voucher. If that is not possible, it offers a second voucher for the same guest. */
export function ExtendDialog({ voucher, guestInfo, onClose, onReplace }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const timeZone = guestInfo.time_zone
  const end = voucher.valid_until ?? voucher.expires_at
  const [until, setUntil] = useState(() =>
    end ? addDays(toWallTime(new Date(end), timeZone), 1) : tomorrowAt11(new Date(), timeZone),
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
        <DialogActions onCancel={onClose}>
          {needsReplacement ? (
            <Replace
              ref={submit}
              isDisabled={isPast}
              siteId={voucher.site_id}
              onReplace={onReplace && (() => onReplace(voucher, until))}
            />
          ) : (
            <Button ref={submit} disabled={isPast} loading={extend.isPending} onClick={() => extend.mutate()}>
              {t('desk.extend-submit')}
            </Button>
          )}
        </DialogActions>
      </Stack>
    </Modal>
  )
}

type ReplaceProps = {
  ref: RefObject<HTMLButtonElement | null>
  isDisabled: boolean
  siteId: number
  onReplace: (() => void) | undefined
}

function Replace({ ref, isDisabled, siteId, onReplace }: ReplaceProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const goToDesk = () => void navigate({ to: '/desk', search: { site: siteId } })
  return (
    <Button ref={ref} disabled={isDisabled} onClick={onReplace ?? goToDesk}>
      {t(onReplace ? 'desk.replace' : 'actions.to-desk')}
    </Button>
  )
}
