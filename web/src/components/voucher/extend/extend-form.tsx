import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCalendar } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProposedEnd, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { toApiError } from '../../../api.ts'
import { useFocusAfter } from '../../../hooks/use-focus-after.ts'
import { addTexts } from '../../../i18n/i18n.ts'
import { printWithLastChoice } from '../../../print/print-with-choice.ts'
import { Dialog, DialogActions } from '../../dialog.tsx'
import { filled } from '../../filled.tsx'
import { Notice } from '../../notice.tsx'
import { showFailure } from '../../show-failure.ts'
import { ErrorMessage } from '../../state-pages.tsx'
import { UntilField } from '../until-field.tsx'
import { durationWords, timeWords } from '../voucher-words.ts'
import { toWallTime, type WallTime } from '../zoned-time.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import classes from './extend.module.css'
import type { ExtendProps } from './extend-dialog.tsx'
import { NowLine } from './now-line.tsx'
import { distanceWords, proposedDays, useFreshUse, useMovedEnd, useVoucherEnds } from './voucher-ends.ts'

addTexts({ de, en })

const choices = [...proposedDays, 'date'] as const
type Choice = (typeof choices)[number]
type Days = (typeof proposedDays)[number]

/** The end is later than the limits of the person or the site allow. */
const beyondLimit = 'valid_until_beyond_limit'

/** The voucher cannot be changed any more: only a second code helps. */
const overCodes = ['voucher_ended', 'voucher_being_revoked']

type Props = ExtendProps & { onEnd: (until: WallTime | undefined) => void }

export function ExtendForm({ voucher, site, guestInfo, onClose, onSecondCode, onEnd }: Props) {
  const { t } = useTranslation()
  const timeZone = guestInfo.time_zone
  const [choice, setChoice] = useState<Choice>(1)
  const [until, setUntil] = useState<WallTime>()
  const [isPressed, setIsPressed] = useState(false)
  const { data, error, refetch, ofDays, ofDate } = useVoucherEnds(voucher.id, choice === 'date' ? until : undefined)
  const isFresh = useFreshUse(voucher)
  const extend = useMovedEnd(voucher, 'later', (changed) => {
    showExtended(t, { voucher: changed, site, guestInfo })
    onClose()
  })
  const submitButton = useFocusAfter(extend.error)
  const endsAt = data ? data.ends_at : voucher.ends_at
  const now = endsAt ? new Date(endsAt) : undefined
  const endAfter = (days: Days) => ofDays[proposedDays.indexOf(days)]
  const end = choice === 'date' ? ofDate : endAfter(choice)
  const failure = extend.error ? toApiError(extend.error) : undefined
  const isOver = overCodes.includes(failure?.error ?? end?.error ?? '')
  const isSecond = isOver || end?.error === 'valid_until_too_late'
  const isEarlier = end !== undefined && !isSecond && end.direction === 'earlier'
  const isSame = end !== undefined && end.direction === null
  const hasPossibleDays = ofDays.some(({ error: problem }) => problem === null)
  const isTooLate = (days: Days) => hasPossibleDays && endAfter(days)?.error === 'valid_until_too_late'
  const isBeyondLimit = (days: Days) => endAfter(days)?.error === beyondLimit

  // The dialog may learn only now that the guest has used the code.
  const form = useRef<HTMLFormElement>(null)
  const hasEnd = now !== undefined
  useEffect(() => {
    if (hasEnd) form.current?.querySelector<HTMLInputElement>('input:checked')?.focus()
  }, [hasEnd])

  const choose = (next: Choice) => {
    if (next !== 'date' && (isTooLate(next) || isBeyondLimit(next))) return
    extend.reset()
    setIsPressed(false)
    setChoice(next)
    if (next === 'date' && now) setUntil((old) => old ?? toWallTime(now, timeZone))
  }
  const submit = () => {
    if (!end || extend.isPending) return
    if (isSecond) {
      onClose()
      return onSecondCode(voucher, toWallTime(new Date(end.valid_until), timeZone))
    }
    if (isSame || end.error === 'valid_until_passed' || end.error === beyondLimit) return setIsPressed(true)
    if (isEarlier) return onEnd(until)
    extend.mutate(end)
  }
  const frame = (children: ReactNode) => (
    <Dialog onClose={onClose} title={t('extend.title', { name: voucher.name })}>
      {children}
    </Dialog>
  )

  if (error) return frame(<ErrorMessage error={error} onRetry={() => void refetch()} />)
  if (!now)
    return frame(
      <NothingToExtend voucher={voucher} isFresh={isFresh} onClose={onClose} onEnd={() => onEnd(undefined)} />,
    )
  return frame(
    <form
      ref={form}
      noValidate
      onKeyDown={(event) => chooseByDigit(event, choose)}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="md">
        <NowLine>{t('desk.until', { time: timeWords(now, timeZone) })}</NowLine>
        <fieldset className={classes.chips}>
          <legend>{t('extend.how-long')}</legend>
          {choices.map((one) => (
            <label key={one} className={classes.chip}>
              <input
                type="radio"
                name="extend-by"
                checked={choice === one}
                disabled={one !== 'date' && (isTooLate(one) || isBeyondLimit(one))}
                onChange={() => choose(one)}
                {...(choice === one && { 'data-autofocus': true })}
              />
              {one === 'date' && <IconCalendar size={16} aria-hidden />}
              {one === 'date' ? t('extend.date') : chipWords(t, one)}
            </label>
          ))}
        </fieldset>
        {choice === 'date' && until && (
          <UntilField
            label={t('desk.until-label')}
            value={until}
            timeZone={timeZone}
            error={
              end?.error === 'valid_until_passed'
                ? t('desk.wrong-until')
                : isPressed && isSame
                  ? t('extend.same-end')
                  : undefined
            }
            onChange={(next) => {
              extend.reset()
              setUntil(next)
            }}
          />
        )}
        {failure?.error === 'valid_until_not_later' && (
          <Notice tone="warn" title={t('extend.changed')} role="alert">
            {t('extend.changed-text')}
          </Notice>
        )}
        <div className={classes.meaning} role="status">
          {end ? (
            <Meaning
              voucher={voucher}
              end={end}
              now={now}
              latest={data?.latest_valid_until ? new Date(data.latest_valid_until) : undefined}
              tooLate={proposedDays.filter(isTooLate)}
              beyondLimit={proposedDays.filter(isBeyondLimit)}
              isSecond={isSecond}
              reason={isOver && failure ? failure.message : undefined}
              timeZone={timeZone}
            />
          ) : (
            <Skeleton h={44} className="late" />
          )}
        </div>
        {failure && !isOver && failure.error !== 'valid_until_not_later' && <ErrorMessage error={extend.error} />}
        <div className={classes.actions}>
          <div>
            {!isEarlier && (
              <Anchor component="button" type="button" c="dimmed" fz={14} onClick={() => onEnd(undefined)}>
                {t('extend.end-earlier')}
              </Anchor>
            )}
          </div>
          <DialogActions onCancel={onClose}>
            <Button
              ref={submitButton}
              type="submit"
              loading={extend.isPending}
              {...(isEarlier && { variant: 'default' })}
            >
              {isSecond
                ? t('extend.submit-second')
                : isEarlier
                  ? t('extend.end-earlier')
                  : end?.days
                    ? t('extend.submit-by', { duration: durationWords(t, end.days * 1440) })
                    : t('extend.submit')}
            </Button>
          </DialogActions>
        </div>
      </Stack>
    </form>,
  )
}

function chipWords(t: TFunction, days: number): string {
  return t('extend.plus', { duration: durationWords(t, days * 1440) })
}

/** The keys 1 to 4 choose, unless somebody types in a field. The event ends here: the desk has the same keys for templates. */
function chooseByDigit(event: KeyboardEvent<HTMLElement>, choose: (choice: Choice) => void): void {
  const { target, key, ctrlKey, altKey, metaKey } = event
  const isTyping = target instanceof HTMLInputElement && target.type !== 'radio'
  const choice = choices[Number(key) - 1]
  if (isTyping || choice === undefined || ctrlKey || altKey || metaKey) return
  event.preventDefault()
  event.stopPropagation()
  choose(choice)
  const radios = event.currentTarget.querySelectorAll<HTMLInputElement>('input[type=radio]')
  radios[choices.indexOf(choice)]?.focus()
}

type MeaningProps = {
  voucher: Voucher
  end: ProposedEnd
  now: Date
  latest: Date | undefined
  /** The proposed days that would be too late. */
  tooLate: number[]
  /** The proposed days that a limit does not allow. */
  beyondLimit: number[]
  isSecond: boolean
  /** Why the voucher cannot be changed any more. */
  reason: string | undefined
  timeZone: string
}

/** The sentences that say what the button will do. */
function Meaning({ voucher, end, now, latest, tooLate, beyondLimit: notAllowed, ...props }: MeaningProps) {
  const { isSecond, reason, timeZone } = props
  const { t } = useTranslation()
  const words = (at: Date) => timeWords(at, timeZone)
  const until = <b>{words(new Date(end.valid_until))}</b>
  const distance = distanceWords(t, end)
  if (isSecond)
    return (
      <>
        <Text>
          {reason} {filled(t(reason ? 'extend.ended-second' : 'extend.second', { time: '\n' }), until)}
        </Text>
        {!reason && (
          <Text fz={13.5} c="dimmed">
            {t('extend.second-first', { time: words(now) })}
          </Text>
        )}
      </>
    )
  if (end.error === beyondLimit) return <Text>{t('extend.beyond-limit', { time: latest ? words(latest) : '' })}</Text>
  if (end.direction !== 'later')
    return (
      <>
        <Text>
          {end.direction === null ? (
            t('extend.same-end')
          ) : (
            <>
              {filled(t('extend.would-be-earlier', { time: '\n' }), until)}
              {distance && `, ${distance}`}.
            </>
          )}
        </Text>
        {end.direction === 'earlier' && (
          <Text fz={13.5} c="dimmed">
            {t('extend.would-be-earlier-why')}
          </Text>
        )}
      </>
    )
  return (
    <>
      <Text>
        {filled(t('extend.valid-until', { time: '\n' }), until)}
        {distance && `, ${distance}`}.
      </Text>
      <Text fz={13.5} c="dimmed">
        {t('extend.same-code')}{' '}
        {latest
          ? t('extend.latest', { time: words(latest) })
          : t('extend.minutes', { duration: durationWords(t, voucher.expire_minutes) })}{' '}
        {tooLate.length > 0 &&
          t('extend.chip-too-late', { chip: tooLate.map((days) => chipWords(t, days)).join(', ') })}
        {notAllowed.length > 0 &&
          t('extend.chip-not-allowed', { chip: notAllowed.map((days) => chipWords(t, days)).join(', ') })}
      </Text>
    </>
  )
}

type NothingProps = { voucher: Voucher; isFresh: boolean | undefined; onClose: () => void; onEnd: () => void }

/** An unused voucher without an end: its time begins with the first use. */
function NothingToExtend({ voucher, isFresh, onClose, onEnd }: NothingProps) {
  const { t } = useTranslation()
  const duration = durationWords(t, voucher.expire_minutes)
  return (
    <Stack gap="md">
      <NowLine>{t('desk.from-first-use', { duration })}</NowLine>
      <div className={classes.meaning} role="status">
        {isFresh === undefined ? (
          <Skeleton h={44} className="late" />
        ) : (
          <>
            <Text fw={600}>{t('extend.nothing')}</Text>
            <Text fz={13.5} c="dimmed">
              {t(isFresh ? 'extend.nothing-why' : 'extend.nothing-unsure', { duration })}
            </Text>
          </>
        )}
      </div>
      <Group className="dialog-actions" justify="flex-end">
        <Button variant="default" onClick={onEnd}>
          {t('extend.end-by')}
        </Button>
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('actions.close')}
        </Button>
      </Group>
    </Stack>
  )
}

type Extended = Pick<ExtendProps, 'voucher' | 'site' | 'guestInfo'>

/** The paper of the guest shows the old end, so the notice offers to print it again. It stays long enough to be used. */
function showExtended(t: TFunction, { voucher, site, guestInfo }: Extended): void {
  const id = `extended-${voucher.id}`
  const print = async () => {
    notifications.hide(id)
    await printWithLastChoice({ vouchers: [voucher], site, guestInfo }).catch((error) => showFailure(t, error))
  }
  notifications.hide(id) // from an earlier extension
  notifications.show({
    id,
    color: 'green',
    autoClose: 20_000,
    title: t('extend.done', { time: timeWords(new Date(voucher.ends_at ?? ''), guestInfo.time_zone) }),
    message: (
      <Stack gap={8} align="flex-start">
        {t('extend.done-text', { name: voucher.name })}
        <Button variant="default" size="xs" onClick={() => void print()}>
          {t('extend.print-again')}
        </Button>
      </Stack>
    ),
  })
}
