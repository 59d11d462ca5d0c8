import { ActionIcon, Checkbox, Menu, Paper, Text, Title, VisuallyHidden } from '@mantine/core'
import { IconGripVertical } from '@tabler/icons-react'
import { type DragEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SlipLine } from '#slips/slip-lines.ts'
import { type SlipPart, slipParts } from '#slips/slip-parts.ts'
import type { GuestInfo } from '../../../../../client/voucher-api.generated.ts'
import { currentLanguage } from '../../../i18n/i18n.ts'
import { moveLine, type SlipValues } from './slip-values.ts'
import classes from './slips.module.css'

type Props = {
  site: { name: string }
  stored: GuestInfo
  values: SlipValues
  set: (changed: Partial<SlipValues>) => void
}

/** The lines of the slip: each can be moved, and all but the code can be switched off. */
export function LinesPanel({ site, stored, values, set }: Props) {
  const { t } = useTranslation()
  const { lines } = values
  const contentOf = useContents(site, stored, values)
  const { announcement, move, row, handle } = useLineOrder(values, set)
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" className={classes.panel ?? ''}>
      <div className={classes.head}>
        <Title order={2}>{t('slips.lines')}</Title>
        <Text fz={13} c="dimmed" visibleFrom="sm">
          {t('slips.move-hint')}
        </Text>
      </div>
      <ol className={classes.lines}>
        {lines.map(({ line, isShown }, place) => (
          <li key={line} {...row(line)}>
            <Menu position="bottom-start">
              <Menu.Target>
                <ActionIcon
                  className={classes.handle ?? ''}
                  aria-label={t('slips.move', { line: t(`slips.line-${line}`) })}
                  {...handle(line)}
                >
                  <IconGripVertical size={18} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item disabled={place === 0} onClick={() => move(line, place - 1)}>
                  {t('slips.up')}
                </Menu.Item>
                <Menu.Item disabled={place === lines.length - 1} onClick={() => move(line, place + 1)}>
                  {t('slips.down')}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
            <Checkbox
              className={classes.check ?? ''}
              label={t(`slips.line-${line}`)}
              checked={isShown}
              disabled={line === 'code'}
              onChange={({ currentTarget: { checked } }) =>
                set({ lines: lines.map((one) => (one.line === line ? { line, isShown: checked } : one)) })
              }
            />
            <span className={classes.content}>{contentOf(line)}</span>
            {line === 'wifi_password' && isShown && (
              <div className={classes.also}>
                <Text fz={13} c="dimmed">
                  {lines.some((one) => one.line === 'wifi_qr' && one.isShown) && t('slips.password-also')}
                </Text>
                <Checkbox
                  size="xs"
                  label={t('slips.password-for-keys')}
                  checked={values.passwordForKeys}
                  onChange={({ currentTarget: { checked } }) => set({ passwordForKeys: checked })}
                />
              </div>
            )}
          </li>
        ))}
      </ol>
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
    </Paper>
  )
}

/** Returns what a line says at this site. */
function useContents(site: { name: string }, stored: GuestInfo, { languages }: SlipValues) {
  const { t } = useTranslation()
  const voucher = { id: '', formatted_code: '', name: '-', max_uses: 2, expire_minutes: 1440, valid_until: null }
  const { slip_lines: _, ...guestInfo } = stored
  const parts = slipParts(
    { ...voucher, created_at: '' },
    { name: site.name, house: stored.house?.name ?? null, guestInfo },
    languages.length > 0 ? languages : [currentLanguage()],
  )
  return (line: SlipLine): string => {
    const part = parts.find(({ kind }) => kind === line)
    if (line === 'logo')
      return t(stored.logo_updated_at || stored.house?.logo ? 'slips.logo-stored' : 'slips.logo-none')
    if (line === 'code') return t('slips.always')
    if (line === 'name') return t('slips.name-typed')
    if (!part) return t('slips.nothing')
    return line === 'wifi_qr' ? t('slips.qr-joins', { wifi: stored.wifi_name }) : textOf(part)
  }
}

function textOf(part: SlipPart): string {
  if (part.kind === 'heading') return part.texts.map(({ text }) => text).join(' · ')
  if (part.kind === 'validity') return part.facts[0]?.facts.join(' · ') ?? ''
  return 'text' in part ? part.text : ''
}

/** Moves lines by dragging, by Alt and arrow keys, or by the menu of the handle. The focus moves with the line. */
function useLineOrder({ lines }: SlipValues, set: Props['set']) {
  const { t } = useTranslation()
  const [dragged, setDragged] = useState<SlipLine>()
  const [over, setOver] = useState<SlipLine>()
  const [announcement, setAnnouncement] = useState('')
  const focused = useRef<Element | null>(null)
  useLayoutEffect(() => {
    if (focused.current instanceof HTMLElement) focused.current.focus()
    focused.current = null
  }, [lines])
  const placeOf = (line: SlipLine) => lines.findIndex((one) => one.line === line)
  const move = (line: SlipLine, to: number) => {
    const moved = moveLine(lines, line, to)
    if (moved === lines) return
    focused.current = document.activeElement
    setAnnouncement(t('slips.moved', { line: t(`slips.line-${line}`), place: to + 1, count: lines.length }))
    set({ lines: moved })
  }
  const end = () => {
    setDragged(undefined)
    setOver(undefined)
  }
  const row = (line: SlipLine) => ({
    ...(line === dragged && { 'data-dragged': true }),
    ...(dragged && line === over && { 'data-drop': placeOf(dragged) < placeOf(line) ? 'below' : 'above' }),
    onKeyDown: (event: KeyboardEvent) => {
      if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
      event.preventDefault()
      move(line, placeOf(line) + (event.key === 'ArrowUp' ? -1 : 1))
    },
    onDragOver: (event: DragEvent) => {
      if (!dragged) return
      event.preventDefault()
      if (over !== line) setOver(line)
    },
    onDrop: (event: DragEvent) => {
      if (!dragged) return
      event.preventDefault()
      move(dragged, placeOf(line))
      end()
    },
  })
  const handle = (line: SlipLine) => ({
    draggable: true,
    onDragStart: ({ currentTarget, dataTransfer }: DragEvent) => {
      dataTransfer.effectAllowed = 'move'
      dataTransfer.setData('text/plain', line) // Firefox drags nothing without data
      const item = currentTarget.closest('li')
      if (item) dataTransfer.setDragImage(item, 20, item.offsetHeight / 2)
      setDragged(line)
    },
    onDragEnd: end,
  })
  return { announcement, move, row, handle }
}
