import { Anchor, Button, NumberInput, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BatchCreation, GuestInfo, Site, Template } from '../../../../../client/voucher-api.generated.ts'
import { useDelayed } from '../../../hooks/use-delayed.ts'
import { currentLanguage } from '../../../i18n/i18n.ts'
import { usePerson } from '../../../session.tsx'
import deskClasses from '../desk.module.css'
import { lastTemplate, rememberTemplate } from '../desk-data.ts'
import { CustomFields } from '../form/custom-fields.tsx'
import {
  checkInput,
  custom,
  type DeskInput,
  type InputErrors,
  limitsOf,
  longestName,
  toRequest,
} from '../form/desk-input.ts'
import { TemplateCards } from '../form/template-cards.tsx'
import { sentenceOf } from '../words.ts'
import type { BatchStore, PendingBatch } from './batch-store.ts'
import classes from './many.module.css'
import { mostVouchers, type NameList, readNames, withoutDoubles } from './names.ts'
import { PendingNote } from './pending-note.tsx'

type Draft = {
  kind: 'names' | 'count'
  /** The pasted list. */
  text: string
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

/** A list of names, or a count and a name. The button names the count. The form is locked while an outcome is open. */
export function ManyForm({ site, guestInfo, templates, store, pending }: Props) {
  const { t } = useTranslation()
  const timeZone = guestInfo.time_zone
  const [draft, setDraft] = useDraft(site, templates, timeZone)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const isLocked = pending !== null && pending.status.kind !== 'rejected'
  const list = readNames(draft.text)
  const size = draft.kind === 'names' ? list.names.length : Number(draft.count)
  const limitErrors = checkInput({ ...draft, name: 'x' }, timeZone)
  const listProblem = useListProblem(list)
  const problem = draft.kind === 'names' ? listProblem : null

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
    setWasSubmitted(true)
    const isWrong = problem !== null || isCountWrong || isNameMissing || Object.keys(limitErrors).length > 0
    if (problem !== null) field.current?.focus()
    if (isWrong) return
    if (draft.choice !== custom) rememberTemplate(site.id, draft.choice)
    store.submit(toBatchRequest(draft, list, guestInfo))
  }

  return (
    <form
      className={deskClasses.form}
      onSubmit={submit}
      noValidate
      aria-busy={pending?.status.kind === 'sending'}
      onKeyDown={(event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && submit(event)}
    >
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
          onChange={(text) => change({ text })}
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
            allowDecimal={false}
            allowNegative={false}
            hideControls
            disabled={isLocked}
            value={draft.count}
            error={wasSubmitted && isCountWrong && t('many.wrong-count', { most: format(mostVouchers) })}
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
      <TemplateCards templates={templates} choice={draft.choice} isLocked={isLocked} onChoose={choose} />
      {draft.choice === custom && (
        <CustomFields
          limits={draft.limits}
          errors={wasSubmitted ? limitErrors : ({} as InputErrors)}
          timeZone={timeZone}
          isLocked={isLocked}
          onChange={(limits) => change({ limits: { ...draft.limits, ...limits } })}
        />
      )}
      <PendingNote pending={pending} />
      <div className={deskClasses.end}>
        <Text fz={13.5} c="dimmed">
          {t('many.each', { limits: sentenceOf(t, { ...draft, name: '' }, templates, timeZone) })}
        </Text>
        <CreateButton size={isCountWrong ? 0 : size} pending={pending} />
      </div>
    </form>
  )
}

type NamesProps = {
  field: React.RefObject<HTMLTextAreaElement | null>
  text: string
  list: NameList
  isLocked: boolean
  error: string | null
  onChange: (text: string) => void
}

function NamesField({ field, text, list, isLocked, error, onChange }: NamesProps) {
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
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div className={classes.counts} role="status">
        <Text fz={13} c="dimmed">
          <Text span inherit fw={600} c="var(--mantine-color-text)">
            {t('many.names', { count: list.names.length })}
          </Text>
          {' – '}
          {t('many.one-line')}
        </Text>
        {list.doubles.length > 0 && (
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

function CreateButton({ size, pending }: { size: number; pending: PendingBatch | null }) {
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
      {size > 0 ? t('many.create', { count: size }) : t('many.create-none')}
    </Button>
  )
}

/** The reason why the service would reject the list, in words; null if the list is fine. */
function useListProblem({ names, tooLongLine }: NameList): string | null {
  const { t } = useTranslation()
  const over = names.length - mostVouchers
  if (over > 0) return t('many.wrong-too-many', { most: format(mostVouchers), over: format(over) })
  if (tooLongLine !== null) return t('many.wrong-too-long', { line: tooLongLine, most: longestName })
  return names.length === 0 ? t('many.wrong-none') : null
}

function format(number: number): string {
  return new Intl.NumberFormat(currentLanguage() === 'de' ? 'de-DE' : 'en-GB').format(number)
}

function toBatchRequest(draft: Draft, { names }: NameList, guestInfo: GuestInfo): BatchCreation {
  const { name, ...request } = toRequest(draft, guestInfo)
  return draft.kind === 'names' ? { ...request, names } : { ...request, name, count: Number(draft.count) }
}

const draftKey = (personId: string, siteId: number) => `vs.many.draft.${personId}.${siteId}`

/** Removes the names of a created batch, so that nobody creates the same list again by accident. The template stays chosen. */
export function forgetNames(personId: string, siteId: number): void {
  sessionStorage.removeItem(draftKey(personId, siteId))
}

/** The typed values. They are kept in this tab, so that a reload loses nothing. */
function useDraft(site: Site, templates: Template[], timeZone: string) {
  const storageKey = draftKey(usePerson().id, site.id)
  const [draft, setDraft] = useState<Draft>(() => {
    const stored = readDraft(storageKey)
    const isKnown = stored?.choice === custom || templates.some(({ id }) => id === stored?.choice)
    if (stored && isKnown) return stored
    const template = lastTemplate(site.id, templates)
    const empty = { kind: 'names' as const, text: '', count: 10, name: '' }
    return { ...empty, ...stored, choice: template?.id ?? custom, limits: limitsOf(template, timeZone) }
  })
  useEffect(() => sessionStorage.setItem(storageKey, JSON.stringify(draft)), [storageKey, draft])
  return [draft, setDraft] as const
}

function readDraft(storageKey: string): Draft | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? 'null')
  } catch {
    return null
  }
}
