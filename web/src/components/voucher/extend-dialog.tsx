import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type RefObject, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Voucher } from '../../../../client/voucher-api.generated.ts'
import { api, randomKey, toApiError } from '../../api.ts'
import { useFocusAfter } from '../../hooks/use-focus-after.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { lazyPart } from '../../new-version.tsx'
import { ConfirmDialog, DialogActions } from '../dialog.tsx'
import { ErrorMessage } from '../state-pages.tsx'
import { latestEnd, presentEnd } from './voucher-end.ts'
import { durationWords, timeWords, validityWords } from './voucher-words.ts'
import { addDays, toInstant, toWallTime, type WallTime } from './zoned-time.ts'

const UntilPicker = lazyPart(async () => (await import('./until-picker.tsx')).UntilPicker)

type Props = {
  voucher: Voucher
  guestInfo: GuestInfo
  onClose: () => void
  /** Creates a second voucher. Without it, the dialog has a link to the desk. */
  onReplace?: ((voucher: Voucher, until: string) => void) | undefined
}

const tooLate = ['valid_until_too_late', 'voucher_ended', 'voucher_being_revoked']

/** The dialog proposes these numbers of days after the present end. */
const proposedDays = [1, 2, 7]

/**
 * Changes the end of a voucher. It proposes only later ends, and asks again before it ends a voucher earlier. If the voucher
 * cannot work that long, it offers a second voucher for the same guest.
 */
export function ExtendDialog({ voucher, guestInfo, onClose, onReplace }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const timeZone = guestInfo.time_zone
  const [openedAt] = useState(Date.now)
  const end = presentEnd(voucher, openedAt)
  const endOnClock = toWallTime(end, timeZone)
  const [until, setUntil] = useState(() => addDays(endOnClock, 1))
  const [isAsking, setIsAsking] = useState(false)
  const isPhone = useLayout() === 'phone'
  const at = toInstant(until, timeZone)
  const isSame = until === endOnClock // the clock has no seconds
  const isEarlier = !isSame && at < end
  const wrong = at.getTime() < Date.now() + 60_000 ? t('desk.wrong-until') : isSame ? t('desk.same-until') : undefined
  const latest = latestEnd(voucher, openedAt)
  const extend = useMutation({
    mutationFn: async ({ mayShorten }: { mayShorten: boolean }) => {
      if (!mayShorten && (await wouldShorten())) return 'ask'
      await api.updateVoucher(voucher.id, { valid_until: at.toISOString() }, { idempotencyKey: randomKey() })
      return 'changed'
    },
    onSuccess: async (result) => {
      if (result === 'ask') return setIsAsking(true)
      await queries.invalidateQueries({ queryKey: ['vouchers'] })
      onClose()
    },
  })
  /** Reads the voucher again: somebody may have extended it since it was shown. */
  const wouldShorten = async () => {
    const current = await api.getVoucher(voucher.id)
    queries.setQueryData(['vouchers', 'one', voucher.id], current)
    return at < presentEnd(current, openedAt)
  }
  const choose = (next: WallTime) => {
    extend.reset()
    setUntil(next)
  }
  const submit = useFocusAfter(extend.error)
  const isRefused = extend.error !== null && tooLate.includes(toApiError(extend.error).error)
  const needsReplacement = isRefused || (latest !== null && at > latest)
  const reason = () => {
    if (extend.error && isRefused && toApiError(extend.error).error !== 'valid_until_too_late')
      return toApiError(extend.error).message
    return t('desk.extend-limit', { time: timeWords(latest ?? at, timeZone) })
  }
  const validity = validityWords(t, voucher, timeZone)

  if (isAsking)
    return (
      <ConfirmDialog
        opened
        onClose={() => {
          extend.reset()
          setIsAsking(false)
        }}
        title={t('desk.earlier-title', { time: timeWords(at, timeZone) })}
        action={t('desk.earlier-submit')}
        isBusy={extend.isPending}
        error={extend.error}
        onConfirm={() => extend.mutate({ mayShorten: true })}
      >
        {t('desk.earlier-text', { name: voucher.name, validity, time: timeWords(at, timeZone) })}
      </ConfirmDialog>
    )
  return (
    <Modal
      opened
      fullScreen={isPhone}
      onClose={onClose}
      title={t('desk.extend-title', { name: voucher.name })}
      closeButtonProps={{ 'aria-label': t('actions.close') }}
    >
      <Stack>
        <Text fz={13.5} c="dimmed">
          {t('desk.extend-now', { validity })}
        </Text>
        <Group gap="xs">
          {proposedDays.map((days) => {
            const proposed = addDays(endOnClock, days)
            const isChosen = proposed === until
            return (
              <Button
                key={days}
                variant={isChosen ? 'light' : 'default'}
                aria-pressed={isChosen}
                onClick={() => choose(proposed)}
              >
                {t('desk.longer-by', { duration: durationWords(t, days * 1440) })}
              </Button>
            )
          })}
        </Group>
        <Suspense fallback={<Skeleton h={94} />}>
          <UntilPicker
            label={t('desk.until-label')}
            value={until}
            min={toWallTime(new Date(), timeZone)}
            description={t('desk.site-time', { timeZone })}
            error={wrong}
            onChange={choose}
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
              isDisabled={wrong !== undefined}
              siteId={voucher.site_id}
              onReplace={onReplace && (() => onReplace(voucher, until))}
            />
          ) : (
            <Button
              ref={submit}
              disabled={wrong !== undefined}
              loading={extend.isPending}
              onClick={() => (isEarlier ? setIsAsking(true) : extend.mutate({ mayShorten: false }))}
            >
              {t(isEarlier ? 'desk.earlier' : 'desk.extend-submit')}
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
