import { Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Template } from '../../../../../client/voucher-api.generated.ts'
import { custom } from '../../../components/creation/desk-input.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { durationWords, templateName } from '../../../components/voucher/voucher-words.ts'
import { useShortcuts } from '../../../shortcuts.ts'
import classes from '../desk.module.css'
import { templateWords } from '../words.ts'
import { isField, useFieldFocus } from './use-field-focus.ts'

export const mostCards = 5

type Props = {
  templates: Template[]
  choice: string
  /** The longest duration that is allowed; null if there is no limit. */
  longest: number | null
  isLocked: boolean
  onChoose: (choice: string) => void
}

/** Whether the chosen template lasts longer than the limits of the person and the site allow. */
export function isTemplateTooLong(templates: Template[], choice: string, longest: number | null): boolean {
  const template = templates.find(({ id }) => id === choice)
  return template !== undefined && longest !== null && template.expire_minutes > longest
}

/** At most five templates and *Customise*. With more templates the sixth card opens a list of all. Keys 1 to 6 choose, with Alt while somebody types. */
export function TemplateCards({ templates, choice, longest, isLocked, onChoose }: Props) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const hasMore = templates.length > mostCards
  const cards = firstCards(templates, choice)
  const isInList = hasMore && choice === custom
  const chooseLast = () => (hasMore ? setIsOpen(true) : onChoose(custom))
  const actions = [
    ...cards.map(
      ({ id }) =>
        () =>
          !isTemplateTooLong(templates, id, longest) && onChoose(id),
    ),
    chooseLast,
  ]
  const label = t('desk.template')
  useShortcuts([
    ...actions.map((run, index) => ({
      hotkey: String(index + 1),
      shown: ['1', '–', String(actions.length)],
      label: t('desk.choose-template'),
      run: () => !isLocked && run(),
    })),
    { shown: ['Alt 1', '–', String(actions.length)], label: t('found.alt-template') },
  ])
  useAltDigits((digit) => !isLocked && actions[digit - 1]?.())

  return (
    <>
      <fieldset
        className={classes.cards}
        disabled={isLocked}
        onKeyDown={({ key }) => actions[Number(key) - 1]?.()} // a card is an input, where `useShortcuts` ignores single keys
      >
        <legend>{label}</legend>
        {cards.map((template, index) => (
          <Card
            key={template.id}
            name={templateName(t, template)}
            limits={templateWords(t, template)}
            tooLong={tooLongWords(t, template, longest)}
            number={index + 1}
            isChosen={choice === template.id}
            onChoose={() => onChoose(template.id)}
          />
        ))}
        {hasMore ? (
          <UnstyledButton
            className={classes.card}
            {...(isInList && { 'data-chosen': true })}
            disabled={isLocked}
            onClick={() => setIsOpen(true)}
          >
            <CardText
              name={isInList ? t('desk.custom') : t('desk.all-templates')}
              limits={isInList ? t('desk.all-templates') : t('desk.templates', { count: templates.length })}
              number={mostCards + 1}
            />
          </UnstyledButton>
        ) : (
          <Card
            name={t('desk.custom')}
            limits={t('desk.custom-what')}
            tooLong={undefined}
            number={cards.length + 1}
            isChosen={choice === custom}
            onChoose={() => onChoose(custom)}
          />
        )}
      </fieldset>
      <TooLongNote templates={templates} choice={choice} longest={longest} />
      {hasMore && (
        <Dialog opened={isOpen} onClose={() => setIsOpen(false)} title={t('desk.all-templates')} size={440}>
          <TemplateList
            templates={templates}
            longest={longest}
            onChoose={(id) => {
              onChoose(id)
              setIsOpen(false)
            }}
          />
        </Dialog>
      )}
    </>
  )
}

/**
 * Alt and a digit, while somebody types. Reads the position of the key, because Alt 1 types `¡` on macOS. The number pad is left out:
 * on Windows, Alt and its digits type a letter such as é.
 */
function useAltDigits(run: (digit: number) => void): void {
  useWindowEvent('keydown', (event) => {
    const digit = /^Digit([1-6])$/.exec(event.code)?.[1]
    if (digit === undefined || !event.altKey || event.ctrlKey || event.metaKey || !isField(event.target)) return
    event.preventDefault() // Firefox on Linux would open another tab
    run(Number(digit))
  })
}

/** The first five. A template that was chosen in the list takes the last place. */
function firstCards(templates: Template[], choice: string): Template[] {
  const first = templates.slice(0, mostCards)
  const chosen = templates.slice(mostCards).find(({ id }) => id === choice)
  return chosen ? [...first.slice(0, -1), chosen] : first
}

/** Says that the chosen template lasts too long. */
export function TooLongNote({ templates, choice, longest }: Pick<Props, 'templates' | 'choice' | 'longest'>) {
  const { t } = useTranslation()
  if (longest === null || !isTemplateTooLong(templates, choice, longest)) return null
  return (
    <Text role="alert" fz={13.5} c="var(--vs-bad-text)" mt="xs">
      {t('issued.template-too-long', { duration: durationWords(t, longest) })}
    </Text>
  )
}

/** Why a template cannot be chosen; undefined if it can. */
export function tooLongWords(
  t: TFunction,
  { expire_minutes: minutes }: Template,
  longest: number | null,
): string | undefined {
  return longest !== null && minutes > longest
    ? t('issued.too-long', { duration: durationWords(t, longest) })
    : undefined
}

type CardProps = {
  name: string
  limits: string
  tooLong: string | undefined
  number: number
  isChosen: boolean
  onChoose: () => void
}

function Card({ isChosen, tooLong, onChoose, ...text }: CardProps) {
  return (
    <label className={classes.card} {...(isChosen && { 'data-chosen': true })} {...(tooLong && { 'data-off': true })}>
      <input type="radio" name="template" checked={isChosen} disabled={tooLong !== undefined} onChange={onChoose} />
      <CardText {...text} limits={tooLong ?? text.limits} />
    </label>
  )
}

function CardText({ name, limits, number }: { name: string; limits: string; number: number }) {
  const isTyping = useFieldFocus()
  return (
    <>
      <span className={classes.cardName} title={name}>
        {name}
      </span>
      <span className={classes.cardLimits}>{limits}</span>
      <kbd className={classes.key} aria-hidden>
        {isTyping ? `Alt ${number}` : number}
      </kbd>
    </>
  )
}

type ListProps = Pick<Props, 'templates' | 'longest' | 'onChoose'>

function TemplateList({ templates, longest, onChoose }: ListProps) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const text = search.trim().toLowerCase()
  const found = templates.filter((template) => templateName(t, template).toLowerCase().includes(text))
  const possible = found.filter((template) => tooLongWords(t, template, longest) === undefined)
  return (
    <Stack gap="xs">
      <TextInput
        data-autofocus
        aria-label={t('desk.search-template')}
        placeholder={t('desk.search-template')}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={({ key }) => key === 'Enter' && possible[0] && onChoose(possible[0].id)}
      />
      {found.map((template) => (
        <UnstyledButton
          key={template.id}
          className={classes.card}
          disabled={tooLongWords(t, template, longest) !== undefined}
          onClick={() => onChoose(template.id)}
        >
          <span className={classes.cardName}>{templateName(t, template)}</span>
          <span className={classes.cardLimits}>{tooLongWords(t, template, longest) ?? templateWords(t, template)}</span>
        </UnstyledButton>
      ))}
      {found.length === 0 && <Text c="dimmed">{t('desk.no-template-found')}</Text>}
      <UnstyledButton className={classes.card} onClick={() => onChoose(custom)}>
        <span className={classes.cardName}>{t('desk.custom')}</span>
        <span className={classes.cardLimits}>{t('desk.custom-what')}</span>
      </UnstyledButton>
    </Stack>
  )
}
