import { Anchor, Button, NumberInput, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type ClipboardEvent, type FormEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type GuestLanguage, guestLanguages } from '#slips/guest-languages.ts'
import type { BatchCreation, GuestInfo, Site, Template } from '../../../../../client/voucher-api.generated.ts'
import {
  checkInput,
  custom,
  type DeskInput,
  type InputErrors,
  isDeskInput,
  limitsOf,
  longestName,
  toRequest,
} from '../../../components/creation/desk-input.ts'
import { formatNumber } from '../../../formats.ts'
import { firstGuestLanguage } from '../../../guest-languages-by-name.ts'
import { useDelayed } from '../../../hooks/use-delayed.ts'
import { usePerson } from '../../../session.tsx'
import { storedValue } from '../../../stored-value.ts'
import deskClasses from '../desk.module.css'
import { firstTemplate, rememberTemplate } from '../desk-data.ts'
import { CustomFields } from '../form/custom-fields.tsx'
import { isTemplateTooLong, TemplateCards } from '../form/template-cards.tsx'
import { IssuingLine, useLongestMinutes } from '../issuing-line.tsx'
import { OutageLine } from '../outage-line.tsx'
import { sentenceOf } from '../words.ts'
import type { BatchStore, PendingBatch } from './batch-store.ts'
import type { Column } from './guest-columns.ts'
import { type GuestTable, isWrong, readGuestTable, textOfWrongRows, toRows } from './guest-table.ts'
import { GuestTableForm } from './guest-table-form.tsx'
import { tableWords } from './guest-words.ts'
import classes from './many.module.css'
import { mostVouchers, type NameList, readNames, withoutDoubles } from './names.ts'
import { hasNote, PendingNote } from './pending-note.tsx'
import { replaceLine, type TableLine } from './read-table.ts'

type Draft = {
  kind: 'names' | 'count'
  /** The pasted list or table. */
  text: string
  /** Whether a table is shown as a table. */
  view: 'text' | 'table'
  /** The columns of the table, if somebody changed them. */
  columns: Column[] | null
  /** The language of the e-mails, if somebody chose one. */
  language?: GuestLanguage
  /** The rows that the last request left out because they are wrong. */
  rest: string
  count: number | ''
  /** The name of all vouchers. It is used together with `count`. */
  name: string
  choice: string
  limits: DeskInput['limits']
}

type Props = {
  site: Site
  guestInfo: GuestInfo
  templates: Template[]
  store: BatchStore
  pending: PendingBatch | null
}

/** A list of names, a table of guests, or a count and a name. The button names the count. The form is locked while an outcome is open. */
export function ManyForm({ site, guestInfo, templates, store, pending }: Props) {
  const { t } = useTranslation()
  const timeZone = guestInfo.time_zone
  const [draft, setDraft] = useDraft(site, templates, timeZone)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const isLocked = pending !== null && pending.status.kind !== 'rejected'
  const [errorCalls, setErrorCalls] = useState(0)
  const list = readNames(draft.text)
  const canEmail = guestInfo.can_send_email
  const language = languageOf(draft, guestInfo)
  const pasted = useMemo(
    () => readGuestTable(draft.text, { now: new Date(), timeZone, canEmail }, draft.columns),
    [draft.text, draft.columns, timeZone, canEmail],
  )
  const table = draft.kind === 'names' && draft.view === 'table' ? pasted : null
  /** A table whose text is edited. It is shown as a table before anything is created. */
  const editedTable = draft.kind === 'names' && draft.view === 'text' ? pasted : null
  const goodRows = table?.rows.filter((row) => !isWrong(row)).length ?? 0
  const size = table ? goodRows : draft.kind === 'names' ? list.names.length : Number(draft.count)
  const longest = useLongestMinutes(site.id)
  const limitErrors = checkInput({ ...draft, name: 'x' }, timeZone, { longest })
  const listProblem = useListProblem(list)
  const tableProblem = useTableProblem(table)
  const problem = table ? tableProblem : draft.kind === 'names' && !editedTable ? listProblem : null

  const change = (next: Partial<Draft>) => setDraft({ ...draft, ...next })
  const choose = (choice: string) => {
    const before = templates.find(({ id }) => id === draft.choice)
    change({ choice, ...(choice === custom && before && { limits: limitsOf(before, timeZone) }) })
  }
  const isCountWrong = draft.kind === 'count' && !(size >= 1 && size <= mostVouchers && Number.isInteger(size))
  const isNameMissing = draft.kind === 'count' && draft.name.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isLocked) return
    if (editedTable) return change({ view: 'table' })
    setWasSubmitted(true)
    const hasProblem = problem !== null || isCountWrong || isNameMissing || Object.keys(limitErrors).length > 0
    if (problem !== null) field.current?.focus()
    if (hasProblem || isTemplateTooLong(templates, draft.choice, longest)) return
    if (table && goodRows === 0) return setErrorCalls(errorCalls + 1)
    if (draft.choice !== custom) rememberTemplate(site.id, draft.choice)
    change({ rest: table ? textOfWrongRows(draft.text, table) : '' })
    store.submit(toBatchRequest(draft, table, guestInfo))
  }
  const customFields = draft.choice === custom && (
    <CustomFields
      limits={draft.limits}
      errors={wasSubmitted ? limitErrors : ({} as InputErrors)}
      timeZone={timeZone}
      longest={longest}
      isLocked={isLocked}
      onChange={(limits) => change({ limits: { ...draft.limits, ...limits } })}
    />
  )
  const note = hasNote(pending) ? (
    <PendingNote pending={pending} />
  ) : (
    <OutageLine site={site} timeZone={timeZone} more={t('outage.list')} />
  )
  const issuing = <IssuingLine siteId={site.id} timeZone={timeZone} />
  const button = <CreateButton size={isCountWrong ? 0 : size} isTable={editedTable !== null} pending={pending} />

  return (
    <form
      className={deskClasses.form}
      onSubmit={submit}
      noValidate
      aria-busy={pending?.status.kind === 'sending'}
      onKeyDown={(event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && submit(event)}
    >
      {table ? (
        <GuestTableForm
          table={table}
          templates={templates}
          choice={draft.choice}
          timeZone={timeZone}
          canEmail={canEmail}
          language={language}
          longest={longest}
          isLocked={isLocked}
          problem={problem}
          errorCalls={errorCalls}
          onChoose={choose}
          onLanguage={(language) => change({ language })}
          onColumns={(columns) => change({ columns })}
          onCell={(line, column, text) => change({ text: withCell(draft.text, table, line, column, text) })}
          onText={() => change({ view: 'text' })}
          button={button}
        >
          {customFields}
          {note}
          {issuing}
        </GuestTableForm>
      ) : (
        <>
          <div className={classes.head}>
            <Text component="label" htmlFor={draft.kind === 'names' ? 'many-names' : 'many-count'} fw={600} fz={15}>
              {t(draft.kind === 'names' ? 'desk.for-whom' : 'many.count')}
            </Text>
            <SegmentedControl
              size="xs"
              aria-label={t('many.kind')}
              disabled={isLocked}
              value={draft.kind}
              onChange={(kind) => change({ kind: kind as Draft['kind'] })}
              data={[
                { value: 'names', label: t('many.by-names') },
                { value: 'count', label: t('many.by-count') },
              ]}
            />
          </div>
          {draft.kind === 'names' ? (
            <NamesField
              field={field}
              text={draft.text}
              list={list}
              isLocked={isLocked}
              error={wasSubmitted || list.names.length > mostVouchers || list.tooLongLine !== null ? problem : null}
              table={editedTable}
              onChange={(text) => change({ text, columns: null })}
              onPaste={(event) => {
                const text = textAfterPaste(event)
                if (!readGuestTable(text, { now: new Date(), timeZone, canEmail })) return
                event.preventDefault()
                change({ text, columns: null, view: 'table' })
              }}
            />
          ) : (
            <div className={classes.countFields}>
              <NumberInput
                id="many-count"
                size="md"
                w={120}
                min={1}
                max={mostVouchers}
                clampBehavior="none"
                disabled={isLocked}
                value={draft.count}
                error={wasSubmitted && isCountWrong && t('many.wrong-count', { most: formatNumber(mostVouchers) })}
                onChange={(value) => change({ count: value === '' ? '' : Number(value) })}
              />
              <TextInput
                size="md"
                style={{ flex: 1 }}
                aria-label={t('many.name')}
                placeholder={t('many.name')}
                maxLength={longestName}
                autoComplete="off"
                disabled={isLocked}
                value={draft.name}
                error={wasSubmitted && isNameMissing && t('desk.wrong-name')}
                onChange={(event) => change({ name: event.currentTarget.value })}
              />
            </div>
          )}
          <TemplateCards
            templates={templates}
            choice={draft.choice}
            longest={longest}
            isLocked={isLocked}
            onChoose={choose}
          />
          {customFields}
          {note}
          {issuing}
          <div className={deskClasses.end}>
            <Text fz={13.5} c="dimmed">
              {t('many.each', { limits: sentenceOf(t, { ...draft, name: '' }, templates, guestInfo) })}
            </Text>
            {button}
          </div>
        </>
      )}
    </form>
  )
}

type NamesProps = {
  field: React.RefObject<HTMLTextAreaElement | null>
  text: string
  list: NameList
  isLocked: boolean
  error: string | null
  /** Set if the text is a table. */
  table: GuestTable | null
  onChange: (text: string) => void
  onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => void
}

function NamesField({ field, text, list, isLocked, error, table, onChange, onPaste }: NamesProps) {
  const { t } = useTranslation()
  return (
    <>
      <Textarea
        ref={field}
        id="many-names"
        className={classes.names ?? ''}
        placeholder={t('many.names-example')}
        rows={9}
        autoComplete="off"
        spellCheck={false}
        disabled={isLocked}
        value={text}
        error={error}
        onPaste={onPaste}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div className={classes.counts} role="status">
        <Text fz={13} c="dimmed">
          <Text span inherit fw={600} c="var(--mantine-color-text)">
            {table ? tableWords(t, table) : t('many.names', { count: list.names.length })}
          </Text>
          {!table && ` – ${t('many.one-line')}`}
        </Text>
        {!table && list.doubles.length > 0 && (
          <Text component="div" fz={13} c="var(--vs-warn-text)" className={classes.doubles}>
            <IconAlertTriangle size={16} aria-hidden style={{ flex: 'none' }} />
            <span>
              {t('many.doubles', { count: list.doubles.length, name: list.doubles[0] })}{' '}
              {!isLocked && (
                <Anchor component="button" type="button" inherit onClick={() => onChange(withoutDoubles(text))}>
                  {t('many.remove-doubles', { count: list.doubles.length })}
                </Anchor>
              )}
            </span>
          </Text>
        )}
      </div>
    </>
  )
}

/** The text that the field would have after the paste. */
function textAfterPaste({ currentTarget, clipboardData }: ClipboardEvent<HTMLTextAreaElement>): string {
  const { value, selectionStart, selectionEnd } = currentTarget
  return value.slice(0, selectionStart) + clipboardData.getData('text/plain') + value.slice(selectionEnd)
}

type ButtonProps = { size: number; isTable: boolean; pending: PendingBatch | null }

function CreateButton({ size, isTable, pending }: ButtonProps) {
  const { t } = useTranslation()
  const kind = pending?.status.kind
  const isLate = useDelayed(kind === 'sending' || kind === 'lost' || kind === 'signed-out')
  return (
    <Button
      type="submit"
      h={50}
      fz={15}
      className={deskClasses.create ?? ''}
      loading={isLate}
      disabled={kind === 'limited'}
    >
      {isTable ? t('many.as-table') : size > 0 ? t('many.create', { count: size }) : t('many.create-none')}
    </Button>
  )
}

/** The reason why the service would reject the list, in words; null if the list is fine. */
function useListProblem({ names, tooLongLine }: NameList): string | null {
  const { t } = useTranslation()
  const over = names.length - mostVouchers
  if (over > 0) return t('many.wrong-too-many', { most: formatNumber(mostVouchers), over: formatNumber(over) })
  if (tooLongLine !== null) return t('many.wrong-too-long', { line: tooLongLine, most: longestName })
  return names.length === 0 ? t('many.wrong-none') : null
}

/** Why no row of the table can be created; null if only single rows are wrong. */
function useTableProblem(table: GuestTable | null): string | null {
  const { t } = useTranslation()
  if (!table) return null
  const over = table.rows.length - mostVouchers
  if (over > 0) return t('many.wrong-too-many', { most: formatNumber(mostVouchers), over: formatNumber(over) })
  return table.columns.some(({ kind }) => kind === 'name') ? null : t('many.no-name-column')
}

function withCell(text: string, { separator }: GuestTable, line: TableLine, column: number, cell: string): string {
  const cells = Array.from({ length: Math.max(line.cells.length, column + 1) }, (_, index) =>
    index === column ? cell : (line.cells[index] ?? ''),
  )
  return replaceLine(text, line, cells, separator)
}

function languageOf({ language }: Draft, guestInfo: GuestInfo): GuestLanguage {
  return guestLanguages.find((each) => each === language) ?? firstGuestLanguage(guestInfo)
}

function toBatchRequest(draft: Draft, table: GuestTable | null, guestInfo: GuestInfo): BatchCreation {
  const { name, ...request } = toRequest(draft, guestInfo)
  if (table) return { ...request, rows: toRows(table, guestInfo, languageOf(draft, guestInfo)) }
  if (draft.kind === 'names') return { ...request, names: readNames(draft.text).names }
  return { ...request, name, count: Number(draft.count) }
}

const storedDraft = (personId: string, siteId: number) =>
  storedValue({ storage: sessionStorage, key: `vs.many.draft.${personId}.${siteId}`, version: 2, isValid: isDraft })

function isDraft(value: unknown): value is Draft {
  const { kind, text, count, view, columns, rest } = (value ?? {}) as Draft
  const isTable = (view === 'text' || view === 'table') && (columns === null || Array.isArray(columns))
  const isList =
    (kind === 'names' || kind === 'count') && isTable && [text, rest].every((each) => typeof each === 'string')
  return isList && (count === '' || typeof count === 'number') && isDeskInput(value)
}

/**
 * Removes the guests of a created batch, so that nobody creates the same list again by accident. Wrong rows of a table stay. The
 * template stays chosen.
 */
export function forgetCreated(personId: string, siteId: number): void {
  const stored = storedDraft(personId, siteId)
  const draft = stored.read()
  stored.write(draft && draft.rest !== '' ? { ...draft, text: draft.rest, rest: '' } : null)
}

/** The number of wrong rows that wait in the form, for example those that the last request left out. */
export function countWrongRows(
  personId: string,
  siteId: number,
  { time_zone: timeZone, can_send_email: canEmail }: GuestInfo,
): number {
  const draft = storedDraft(personId, siteId).read()
  const table = draft && readGuestTable(draft.text, { now: new Date(), timeZone, canEmail }, draft.columns)
  return table?.rows.filter(isWrong).length ?? 0
}

/** The typed values. They are kept in this tab, so that a reload loses nothing. */
function useDraft(site: Site, templates: Template[], timeZone: string) {
  const { id: personId } = usePerson()
  const [draft, setDraft] = useState<Draft>(() => {
    const stored = storedDraft(personId, site.id).read()
    const isKnown = stored?.choice === custom || templates.some(({ id }) => id === stored?.choice)
    if (stored && isKnown) return stored
    const template = firstTemplate(site.id, templates)
    const empty = { kind: 'names', text: '', view: 'text', columns: null, rest: '', count: 10, name: '' } as const
    return { ...empty, ...stored, choice: template?.id ?? custom, limits: limitsOf(template, timeZone) }
  })
  useEffect(() => storedDraft(personId, site.id).write(draft), [personId, site.id, draft])
  return [draft, setDraft] as const
}
