import { ActionIcon, Checkbox, Menu, Paper, Text, Title, VisuallyHidden } from '@mantine/core'
import { IconGripVertical } from '@tabler/icons-react'
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { SlipLine } from '#slips/slip-lines.ts'
import { type SlipPart, slipParts } from '#slips/slip-parts.ts'
import type { GuestInfo } from '../../../../../client/voucher-api.generated.ts'
import { useRowOrder } from '../../../hooks/use-row-order.ts'
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
  const focused = useRef<Element | null>(null)
  useLayoutEffect(() => {
    if (focused.current instanceof HTMLElement) focused.current.focus()
    focused.current = null
  }, [lines])
  const order = useRowOrder({
    ids: lines.map(({ line }) => line),
    onMove: (line, to) => {
      focused.current = document.activeElement
      set({ lines: moveLine(lines, line, to) })
    },
    wordsOf: (line, place) => t('slips.moved', { line: t(`slips.line-${line}`), ...place }),
  })
  const row = (line: SlipLine) => ({
    ...order.row(line),
    onKeyDown: (event: KeyboardEvent) => event.altKey && order.moveByArrow(event, line),
  })
  return { ...order, row }
}
