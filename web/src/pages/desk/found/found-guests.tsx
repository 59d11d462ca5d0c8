import { Group, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type RefObject, useLayoutEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { type ExtendProps, useExtend } from '../../../components/voucher/extend/extend-dialog.tsx'
import { StatusMark } from '../../../components/voucher/status-mark.tsx'
import { hasEndToExtend } from '../../../components/voucher/voucher-end.ts'
import { useLayout } from '../../../hooks/use-layout.ts'
import { usePrint } from '../../../print/use-print.ts'
import { useShortcuts } from '../../../shortcuts.ts'
import deskClasses from '../desk.module.css'
import classes from './found-guests.module.css'
import { foundWords, markOf, placeOfWord, stateOf } from './found-words.ts'
import { mostCounted, useFoundGuests } from './use-found-guests.ts'

const rowsOnPhone = 2

type Props = {
  site: Site
  guestInfo: GuestInfo
  /** The text in the field. */
  name: string
  isOn: boolean
  nameField: RefObject<HTMLInputElement | null>
  /** The element around the rows, which `focusFirst` reads. */
  box: RefObject<HTMLDivElement | null>
  onShow: (voucher: Voucher) => void
  onSecondCode: ExtendProps['onSecondCode']
}

/** Guests of the site whose name, or a later word in it, begins with the text in the field. They are help: Enter in the field always creates. */
export function FoundGuests({ site, guestInfo, name, isOn, nameField, box, onShow, onSecondCode }: Props) {
  const { t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  const { vouchers, more, searched } = useFoundGuests(site.id, name, isOn)
  const { print } = usePrint()
  const { extend, extendDialog } = useExtend({ site, guestInfo, onSecondCode })
  const rows = isPhone ? vouchers.slice(0, rowsOnPhone) : vouchers
  const further = more + vouchers.length - rows.length
  const height = useKeptHeight(box, { isKept: isOn && name !== '', isPhone, content: `${rows.length} ${further > 0}` })
  const typed = name.trim()
  const isWorking = rows.some((voucher) => works(voucher, Date.now()))
  const caption = t(isWorking ? 'found.caption' : 'found.caption-ended')
  useShortcuts([{ shown: ['↓'], label: t('found.keys') }])

  return (
    <>
      <div ref={box} style={{ minHeight: height }}>
        {rows.length > 0 && (
          <fieldset
            className={classes.box}
            aria-label={caption}
            onKeyDown={(event) => moveFocus(event, nameField.current)}
          >
            <Group justify="space-between" wrap="nowrap" mb={6} c="dimmed" fz={12.5}>
              <span>{caption}</span>
              <span className={classes.hint} aria-hidden>
                <kbd className={deskClasses.key}>↓</kbd> {t('found.to-list')}
              </span>
            </Group>
            <ul className={`${deskClasses.list} ${classes.rows}`}>
              {rows.map((voucher) => (
                <li key={voucher.id}>
                  {isPhone ? (
                    <UnstyledButton className={classes.row} data-phone onClick={() => onShow(voucher)}>
                      <Facts voucher={voucher} typed={typed} timeZone={guestInfo.time_zone} />
                    </UnstyledButton>
                  ) : (
                    <div className={classes.row}>
                      <Facts voucher={voucher} typed={typed} timeZone={guestInfo.time_zone} />
                      <Actions
                        voucher={voucher}
                        onShow={() => onShow(voucher)}
                        onPrint={() => print(() => ({ vouchers: [voucher], site, guestInfo }))}
                        onExtend={() => extend(voucher)}
                      />
                    </div>
                  )}
                </li>
              ))}
            </ul>
            {further > 0 && (
              <Text className={classes.more} fz={12.5}>
                <Link to="/vouchers" search={{ site: site.id, q: typed }}>
                  {further >= mostCounted
                    ? t('found.many-more', { count: mostCounted - 1 })
                    : t('found.more', { count: further })}
                </Link>
              </Text>
            )}
          </fieldset>
        )}
      </div>
      <VisuallyHidden role="status" aria-live="polite">
        {searched !== undefined && vouchers.length > 0 && announcement(vouchers.length + more)}
      </VisuallyHidden>
      {extendDialog}
    </>
  )

  function announcement(count: number): string {
    return count >= mostCounted ? t('found.announce-many', { count: mostCounted - 1 }) : t('found.announce', { count })
  }
}

/** Focuses the first action of the first row. Returns false if no guest was found. */
export function focusFirst(box: HTMLElement | null): boolean {
  const first = box?.querySelector('button')
  first?.focus()
  return first instanceof HTMLElement
}

const works = (voucher: Voucher, now: number) => ['unused', 'in-use'].includes(stateOf(voucher, now))

function Facts({ voucher, typed, timeZone }: { voucher: Voucher; typed: string; timeZone: string }) {
  const { t } = useTranslation()
  const now = Date.now()
  const [state, limits] = foundWords(t, voucher, timeZone, now)
  const isOver = !works(voucher, now)
  const begin = Math.max(0, placeOfWord(voucher.name, typed))
  const end = placeOfWord(voucher.name, typed) < 0 ? 0 : begin + typed.length
  return (
    <>
      <span className={deskClasses.mark} aria-hidden>
        <StatusMark status={markOf[stateOf(voucher, now)]} />
      </span>
      <span className={classes.facts}>
        <span className={classes.who}>
          <Text fw={500} lh="20px" truncate title={voucher.name}>
            {voucher.name.slice(0, begin)}
            <span className={classes.typed}>{voucher.name.slice(begin, end)}</span>
            {voucher.name.slice(end)}
          </Text>
          <Text className={`code ${classes.code}`} fz={13} lh="18px" c={isOver ? 'var(--vs-soft)' : 'dimmed'}>
            {voucher.formatted_code}
          </Text>
        </span>
        <span className={classes.state}>
          <Text fz={13.5} lh="20px" truncate {...(isOver && { c: 'dimmed' })}>
            {state}
          </Text>
          {limits && (
            <Text className={classes.limits ?? ''} fz={13} lh="18px" c="dimmed" truncate>
              {limits}
            </Text>
          )}
        </span>
      </span>
    </>
  )
}

type ActionsProps = { voucher: Voucher; onShow: () => void; onPrint: () => void; onExtend: () => void }

function Actions({ voucher, onShow, onPrint, onExtend }: ActionsProps) {
  const { t } = useTranslation()
  const isWorking = works(voucher, Date.now())
  const actions = [
    { key: 'show', run: onShow, isOffered: true },
    { key: 'print', run: onPrint, isOffered: isWorking },
    { key: 'extend', run: onExtend, isOffered: isWorking && hasEndToExtend(voucher) },
  ] as const
  return (
    <span className={classes.actions}>
      {actions.map(({ key, run, isOffered }) =>
        isOffered ? (
          <UnstyledButton
            key={key}
            className={classes.action}
            aria-label={t(`found.${key}-of`, { name: voucher.name })}
            onClick={run}
          >
            {t(`found.${key}`)}
          </UnstyledButton>
        ) : (
          <span key={key} />
        ),
      )}
    </span>
  )
}

/** Arrows move between the actions, and up from the first row or Esc back to the field. */
function moveFocus(event: KeyboardEvent<HTMLElement>, field: HTMLInputElement | null): void {
  const { key, currentTarget, target } = event
  const rows = [...currentTarget.querySelectorAll('li')]
  const row = rows.findIndex((one) => one.contains(target as Node))
  const buttons = [...(rows[row]?.querySelectorAll('button') ?? [])]
  const action = buttons.indexOf(target as HTMLButtonElement)
  const targets: Record<string, () => HTMLElement | null | undefined> = {
    ArrowLeft: () => buttons[action - 1],
    ArrowRight: () => buttons[action + 1],
    ArrowDown: () => rows[row + 1]?.querySelector('button'),
    ArrowUp: () => rows[row - 1]?.querySelector('button') ?? field,
    Escape: () => field,
  }
  const next = targets[key]
  if (!next) return
  event.preventDefault()
  next()?.focus()
}

type Kept = { isKept: boolean; isPhone: boolean; content: string }

/** The largest height of the box since the field was empty, so that nothing below it moves while somebody types. */
function useKeptHeight(box: RefObject<HTMLElement | null>, { isKept, isPhone, content }: Kept): number {
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => setHeight(0), [isKept, isPhone])
  useLayoutEffect(() => {
    if (isKept) setHeight((before) => Math.max(before, box.current?.firstElementChild?.clientHeight ?? 0))
  }, [box, isKept, isPhone, content])
  return height
}
