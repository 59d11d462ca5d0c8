import { Button, Skeleton, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProposedEnd, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { formatTime, shortDay } from '../../../formats.ts'
import { useFocusAfter } from '../../../hooks/use-focus-after.ts'
import { addTexts } from '../../../i18n/i18n.ts'
import { Dialog, DialogActions } from '../../dialog.tsx'
import { filled } from '../../filled.tsx'
import { ErrorMessage } from '../../state-pages.tsx'
import { UntilField } from '../until-field.tsx'
import { timeWords } from '../voucher-words.ts'
import { addDays, toWallTime, type WallTime } from '../zoned-time.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import classes from './extend.module.css'
import type { ExtendProps } from './extend-dialog.tsx'
import { NowLine } from './now-line.tsx'
import { distanceWords, useMovedEnd, useVoucherEnds } from './voucher-ends.ts'

addTexts({ de, en })

type Props = Pick<ExtendProps, 'voucher' | 'guestInfo' | 'onClose'> & {
  /** The first value of the field. */
  until: WallTime | undefined
}

/** Makes the end of a voucher earlier, or sets an end for a voucher that has none. It never makes an end later. */
export function EndForm({ voucher, guestInfo, onClose, until: first }: Props) {
  const { t } = useTranslation()
  const timeZone = guestInfo.time_zone
  const [until, setUntil] = useState(() => first ?? firstEnd(voucher, timeZone))
  const [isPressed, setIsPressed] = useState(false)
  const { data, error, refetch, ofDate: end } = useVoucherEnds(voucher.id, until)
  const isEarlier = end?.direction === 'earlier'
  const wrong =
    end?.error === 'valid_until_passed'
      ? t('desk.wrong-until')
      : end && !isEarlier && isPressed
        ? t('extend.not-earlier')
        : undefined
  const shorten = useMovedEnd(voucher, 'earlier', (changed) => {
    const time = timeWords(new Date(changed.ends_at ?? ''), timeZone)
    notifications.show({ message: t('extend.ended', { name: voucher.name, time }) })
    onClose()
  })
  const button = useFocusAfter(shorten.error)
  const hasEnd = voucher.ends_at !== null
  const submit = () => {
    setIsPressed(true)
    if (end && isEarlier && end.error === null) shorten.mutate(end)
  }
  const title = t(hasEnd ? 'extend.earlier-title' : 'extend.by-title', { name: voucher.name })
  return (
    <Dialog onClose={onClose} title={title}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="md">
          {data?.ends_at && <NowLine>{t('desk.until', { time: timeWords(new Date(data.ends_at), timeZone) })}</NowLine>}
          <UntilField
            label={t('extend.last-moment')}
            value={until}
            timeZone={timeZone}
            error={wrong}
            onChange={(next) => {
              shorten.reset()
              setIsPressed(false)
              setUntil(next)
            }}
          />
          <div className={classes.meaning} role="status">
            {end ? <Meaning end={end} hasEnd={hasEnd} timeZone={timeZone} /> : <Skeleton h={44} className="late" />}
          </div>
          {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
          {shorten.error && <ErrorMessage error={shorten.error} />}
          <DialogActions onCancel={onClose} isCancelFirst>
            <Button ref={button} type="submit" color="red" loading={shorten.isPending}>
              {t('extend.end-on', { day: dayWords(end, timeZone) })}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  )
}

function Meaning({ end, hasEnd, timeZone }: { end: ProposedEnd; hasEnd: boolean; timeZone: string }) {
  const { t } = useTranslation()
  if (end.direction !== 'earlier') return <Text>{t('extend.not-earlier')}</Text>
  const until = <b>{timeWords(new Date(end.valid_until), timeZone)}</b>
  const distance = distanceWords(t, end)
  return (
    <>
      <Text>
        {filled(t(hasEnd ? 'extend.stops' : 'extend.stops-by', { time: '\n' }), until)}
        {hasEnd && (distance ? `, ${distance}.` : '.')}
      </Text>
      <Text fz={13.5} c="dimmed">
        {t('extend.online')}
      </Text>
    </>
  )
}

/** "Mon 23 Nov" in the time zone of the site; "…" until the service has computed the end. */
function dayWords(end: ProposedEnd | undefined, timeZone: string): string {
  return end ? formatTime(end.valid_until, { timeZone, weekday: 'short', ...shortDay }) : '…'
}

/**
 * A first value for the field: a day before the present end if that is not over yet, otherwise in an hour. For a voucher without
 * an end, 11:00 on the first day on which its time could be over.
 */
function firstEnd({ ends_at: end, expire_minutes: minutes }: Voucher, timeZone: string): WallTime {
  const now = toWallTime(new Date(), timeZone)
  if (end === null) return `${addDays(now, Math.ceil(minutes / 1440)).slice(0, 10)} 11:00:00`
  const dayBefore = addDays(toWallTime(new Date(end), timeZone), -1)
  return dayBefore > now ? dayBefore : toWallTime(new Date(Date.now() + 3_600_000), timeZone)
}
