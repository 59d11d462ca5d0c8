import { Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Template } from '../../../../../client/voucher-api.generated.ts'
import { custom } from '../../../components/creation/desk-input.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { templateName } from '../../../components/voucher/voucher-words.ts'
import { useShortcuts } from '../../../shortcuts.ts'
import classes from '../desk.module.css'
import { templateWords } from '../words.ts'
import { isField, useFieldFocus } from './use-field-focus.ts'

export const mostCards = 5

type Props = {
  templates: Template[]
  choice: string
  isLocked: boolean
  onChoose: (choice: string) => void
}

/** At most five templates and *Customise*. With more templates the sixth card opens a list of all. Keys 1 to 6 choose, with Alt while somebody types. */
export function TemplateCards({ templates, choice, isLocked, onChoose }: Props) {
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
          onChoose(id),
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
            number={cards.length + 1}
            isChosen={choice === custom}
            onChoose={() => onChoose(custom)}
          />
        )}
      </fieldset>
      {hasMore && (
        <Dialog opened={isOpen} onClose={() => setIsOpen(false)} title={t('desk.all-templates')} size={440}>
          <TemplateList
            templates={templates}
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
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const digit = /^Digit([1-6])$/.exec(event.code)?.[1]
      if (digit === undefined || !event.altKey || event.ctrlKey || event.metaKey || !isField(event.target)) return
      event.preventDefault() // Firefox on Linux would open another tab
      run(Number(digit))
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
}

/** The first five. A template that was chosen in the list takes the last place. */
function firstCards(templates: Template[], choice: string): Template[] {
  const first = templates.slice(0, mostCards)
  const chosen = templates.slice(mostCards).find(({ id }) => id === choice)
  return chosen ? [...first.slice(0, -1), chosen] : first
}

type CardProps = { name: string; limits: string; number: number; isChosen: boolean; onChoose: () => void }

function Card({ isChosen, onChoose, ...text }: CardProps) {
  return (
    <label className={classes.card} {...(isChosen && { 'data-chosen': true })}>
      <input type="radio" name="template" checked={isChosen} onChange={onChoose} />
      <CardText {...text} />
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

function TemplateList({ templates, onChoose }: { templates: Template[]; onChoose: (choice: string) => void }) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const text = search.trim().toLowerCase()
  const found = templates.filter((template) => templateName(t, template).toLowerCase().includes(text))
  return (
    <Stack gap="xs">
      <TextInput
        data-autofocus
        aria-label={t('desk.search-template')}
        placeholder={t('desk.search-template')}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={({ key }) => key === 'Enter' && found[0] && onChoose(found[0].id)}
      />
      {found.map((template) => (
        <UnstyledButton key={template.id} className={classes.card} onClick={() => onChoose(template.id)}>
          <span className={classes.cardName}>{templateName(t, template)}</span>
          <span className={classes.cardLimits}>{templateWords(t, template)}</span>
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
