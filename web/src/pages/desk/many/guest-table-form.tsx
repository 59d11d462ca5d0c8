import { Anchor, Button, NativeSelect, SegmentedControl, Text } from '@mantine/core'
import { IconAlertTriangle, IconPencil } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestLanguage } from '#slips/guest-languages.ts'
import type { Template } from '../../../../../client/voucher-api.generated.ts'
import { custom } from '../../../components/creation/desk-input.ts'
import { Notice } from '../../../components/notice.tsx'
import { joinWords, templateName } from '../../../components/voucher/voucher-words.ts'
import { guestLanguagesByName } from '../../../guest-languages-by-name.ts'
import deskClasses from '../desk.module.css'
import { TooLongNote, tooLongWords } from '../form/template-cards.tsx'
import { templateWords } from '../words.ts'
import type { Column } from './guest-columns.ts'
import { GuestGrid } from './guest-grid.tsx'
import { findDoubles, type GuestRow } from './guest-rows.ts'
import classes from './guest-table.module.css'
import { countEmails, type GuestTable, isWrong } from './guest-table.ts'
import { tableWords } from './guest-words.ts'
import type { TableLine } from './read-table.ts'

type Props = {
  table: GuestTable
  templates: Template[]
  choice: string
  timeZone: string
  canEmail: boolean
  /** The language of the e-mails. */
  language: GuestLanguage
  /** The longest duration that is allowed; null if there is no limit. */
  longest: number | null
  isLocked: boolean
  /** Why no row can be created. */
  problem: string | null
  errorCalls: number
  onChoose: (choice: string) => void
  onLanguage: (language: GuestLanguage) => void
  onColumns: (columns: Column[]) => void
  onCell: (line: TableLine, column: number, text: string) => void
  onText: () => void
  /** The fields of *Customise*, and notes about the request. */
  children: ReactNode
  button: ReactNode
}

/** A pasted table before anything is created: how it was understood, and what is wrong. */
export function GuestTableForm({ table, children, button, ...props }: Props) {
  const { t } = useTranslation()
  const { rows, header } = table
  const wrong = rows.filter(isWrong)
  const [filter, setFilter] = useState<'all' | 'wrong'>('all')
  const [isAll, setIsAll] = useState(false)
  const wanted = filter === 'wrong' && wrong.length > 0 ? wrong : rows
  const shown = isAll ? wanted : firstRows(wanted)
  const { isLocked, choice, templates, longest } = props
  const emails = countEmails(table)
  const options = [
    ...templates.map((template) => ({
      value: template.id,
      label: joinWords(templateName(t, template), tooLongWords(t, template, longest) ?? templateWords(t, template)),
      disabled: tooLongWords(t, template, longest) !== undefined,
    })),
    { value: custom, label: t('desk.custom') },
  ]
  return (
    <div className={classes.table} data-wide>
      <div className={classes.head}>
        <div className={classes.title}>
          <Text fw={600} lh="20px">
            {tableWords(t, table)}
          </Text>
          <Text fz={13} c="dimmed">
            {t(header ? 'many.from-header' : 'many.from-cells')}
          </Text>
        </div>
        <SegmentedControl
          size="sm"
          aria-label={t('many.which-rows')}
          value={wanted === wrong ? 'wrong' : 'all'}
          onChange={(value) => setFilter(value as typeof filter)}
          data={[
            { value: 'all', label: t('many.all-rows', { count: rows.length }) },
            { value: 'wrong', label: t('many.wrong-rows', { count: wrong.length }), disabled: wrong.length === 0 },
          ]}
        />
        <Button
          variant="default"
          leftSection={<IconPencil size={16} aria-hidden />}
          disabled={isLocked}
          onClick={props.onText}
        >
          {t('many.as-text')}
        </Button>
      </div>
      {props.problem !== null && (
        <div className={classes.problem}>
          <Notice tone="bad" title={props.problem} />
        </div>
      )}
      <GuestGrid {...props} table={table} shown={shown} onShowAll={() => setIsAll(true)} />
      <div className={classes.below} role="status">
        {shown.length < wanted.length && (
          <Text fz={13} c="dimmed">
            {t(shown.filter(isWrong).length < wrong.length ? 'many.more-any' : 'many.more-fine', {
              count: wanted.length - shown.length,
            })}
            {' · '}
            <Anchor component="button" type="button" inherit onClick={() => setIsAll(true)}>
              {t('many.show-all')}
            </Anchor>
          </Text>
        )}
        <Doubles rows={rows} />
      </div>
      <div className={classes.notes}>
        {children}
        <TooLongNote templates={templates} choice={choice} longest={longest} />
      </div>
      <div className={classes.foot}>
        <div className={classes.template}>
          <Text component="label" htmlFor="many-template" fz={13.5} lh="18px">
            <Text span inherit fw={600} display="block">
              {t('many.where-empty')}
            </Text>
            <Text span inherit c="dimmed">
              {t('many.template-decides')}
            </Text>
          </Text>
          <NativeSelect
            id="many-template"
            disabled={isLocked}
            value={choice}
            data={options}
            onChange={(event) => props.onChoose(event.currentTarget.value)}
          />
        </div>
        {emails > 0 && (
          <div className={classes.template}>
            <Text component="label" htmlFor="many-language" fz={13.5} lh="18px" fw={600}>
              {t('many.email-language')}
            </Text>
            <NativeSelect
              id="many-language"
              className={classes.language ?? ''}
              disabled={isLocked}
              value={props.language}
              data={guestLanguagesByName()}
              onChange={(event) => props.onLanguage(event.currentTarget.value as GuestLanguage)}
            />
          </div>
        )}
        <div className={`${deskClasses.end} ${classes.end}`}>
          <div role="status">
            {wrong.length > 0 && (
              <Text fz={13.5} ta="right">
                {t('many.left-out', { count: wrong.length })}
              </Text>
            )}
            {emails > 0 && (
              <Text fz={13.5} c="dimmed" ta="right">
                {t('many.emails', { count: emails })}
              </Text>
            )}
            {table.hasIgnoredEmails && (
              <Text fz={13.5} c="var(--vs-warn-text)" ta="right">
                {t('many.emails-ignored')}
              </Text>
            )}
          </div>
          {button}
        </div>
      </div>
    </div>
  )
}

/** Rows that are shown before somebody asks for all. More would make the page slow. */
const fewRows = 7
const mostWrongRows = 100

/** The first rows and those with errors. */
function firstRows(rows: GuestRow[]): GuestRow[] {
  if (rows.length <= 2 * fewRows) return rows
  const wrong = new Set(rows.filter(isWrong).slice(0, mostWrongRows))
  return rows.filter((row, index) => index < fewRows || wrong.has(row))
}

function Doubles({ rows }: { rows: GuestRow[] }) {
  const { t } = useTranslation()
  const [first, ...others] = findDoubles(rows)
  if (!first) return null
  return (
    <Text component="div" fz={13} c="var(--vs-warn-text)" className={classes.doubles}>
      <IconAlertTriangle size={16} aria-hidden style={{ flex: 'none' }} />
      <span>
        {t('many.same-guest', first)} {others.length > 0 && t('many.same-guests', { count: others.length })}
      </span>
    </Text>
  )
}
