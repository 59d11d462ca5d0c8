import { Button, Skeleton, Text, TextInput } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { type FormEvent, type RefObject, Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site, Template, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { useSeconds } from '../../../clock.ts'
import type { Creation } from '../../../components/creation/creation.ts'
import {
  checkInput,
  custom,
  type DeskInput,
  type InputErrors,
  limitsOf,
  longestName,
} from '../../../components/creation/desk-input.ts'
import { hasNote, OutcomeNote } from '../../../components/creation/outcome-note.tsx'
import type { ExtendProps } from '../../../components/voucher/extend/extend-dialog.tsx'
import { useDelayed } from '../../../hooks/use-delayed.ts'
import { lazyPart } from '../../../new-version.tsx'
import classes from '../desk.module.css'
import { FoundGuests, focusFirst } from '../found/found-guests.tsx'
import { IssuingLine, useLongestMinutes } from '../issuing-line.tsx'
import { OutageLine } from '../outage-line.tsx'
import { sentenceOf } from '../words.ts'
import { EmailPart } from './email-part.tsx'
import { isTemplateTooLong, TemplateCards } from './template-cards.tsx'

/** Loaded only when needed: number fields would be a sixteenth of the first load, and most guests get a template. */
const CustomFields = lazyPart(async () => (await import('./custom-fields.tsx')).CustomFields)

type Props = {
  site: Site
  guestInfo: GuestInfo
  templates: Template[]
  creation: Creation | null
  input: DeskInput
  nameField: RefObject<HTMLInputElement | null>
  onChange: (change: Partial<DeskInput>) => void
  onSubmit: () => void
  onNext: () => void
  onShow: (voucher: Voucher) => void
  onSecondCode: ExtendProps['onSecondCode']
}

/** A name and Enter create a voucher. While its outcome is open, the form is locked. */
export function DeskForm(props: Props) {
  const { site, guestInfo, templates, creation, input, nameField, onChange, onSubmit, onNext, onShow, onSecondCode } =
    props
  const { t } = useTranslation()
  const timeZone = guestInfo.time_zone
  const [errors, setErrors] = useState<InputErrors>({})
  const longest = useLongestMinutes(site.id)
  const isTooLong = isTemplateTooLong(templates, input.choice, longest)
  const found = useRef<HTMLDivElement>(null)
  const emailField = useRef<HTMLInputElement>(null)
  const isLocked = creation !== null && creation.status.kind !== 'none'

  const check = ({ message, ...some }: DeskInput) =>
    checkInput(guestInfo.can_send_email ? { ...some, message } : some, timeZone, { longest })
  const change = (next: Partial<DeskInput>) => {
    if (Object.keys(errors).length > 0) setErrors(check({ ...input, ...next }))
    onChange(next)
  }
  const choose = (choice: string) => {
    const before = templates.find(({ id }) => id === input.choice)
    change({ choice, ...(choice === custom && before && { limits: limitsOf(before, timeZone) }) })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isLocked) return
    const wrong = check(input)
    setErrors(wrong)
    if (wrong.name) nameField.current?.focus()
    else if (wrong.email) emailField.current?.focus()
    if (Object.keys(wrong).length === 0 && !isTooLong) onSubmit()
  }

  return (
    <form className={classes.form} onSubmit={submit} noValidate aria-busy={creation?.status.kind === 'sending'}>
      <TextInput
        ref={nameField}
        className={classes.name ?? ''}
        label={t('desk.for-whom')}
        placeholder={t('desk.name-example')}
        value={input.name}
        error={errors.name && t(`desk.wrong-${errors.name}`)}
        disabled={isLocked}
        maxLength={longestName}
        autoComplete="off"
        enterKeyHint="done"
        onChange={(event) => change({ name: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' && focusFirst(found.current)) event.preventDefault()
        }}
      />
      <FoundGuests
        site={site}
        guestInfo={guestInfo}
        name={input.name}
        isOn={!isLocked}
        nameField={nameField}
        box={found}
        onShow={onShow}
        onSecondCode={onSecondCode}
      />
      {templates.length === 0 && (
        <Text fz={13.5} mt="md" c="dimmed">
          {t('desk.no-templates')}
        </Text>
      )}
      <TemplateCards
        templates={templates}
        choice={input.choice}
        longest={longest}
        isLocked={isLocked}
        onChoose={choose}
      />
      {input.choice === custom && (
        <Suspense fallback={<Skeleton h={82} mt="md" />}>
          <CustomFields
            limits={input.limits}
            errors={errors}
            timeZone={timeZone}
            longest={longest}
            isLocked={isLocked}
            onChange={(limits) => change({ limits: { ...input.limits, ...limits } })}
          />
        </Suspense>
      )}
      {guestInfo.can_send_email && (
        <EmailPart
          field={emailField}
          guestInfo={guestInfo}
          message={input.message}
          isWrong={errors.email !== undefined}
          isLocked={isLocked}
          onChange={(message) => change({ message })}
        />
      )}
      {creation && hasNote(creation) ? (
        <OutcomeNote creation={creation} site={site} timeZone={timeZone} hint={t('desk.kept')} />
      ) : (
        <OutageLine site={site} timeZone={timeZone} />
      )}
      <IssuingLine siteId={site.id} timeZone={timeZone} />
      <div className={classes.end}>
        {creation?.status.kind === 'unknown' ? (
          <>
            <Text fz={13.5} c="dimmed">
              {t('desk.result-in-list')}
            </Text>
            <Button
              type="button"
              variant="default"
              h={50}
              fz={15}
              className={classes.create ?? ''}
              rightSection={<IconArrowRight size={18} aria-hidden />}
              onClick={onNext}
            >
              {t('desk.next-meanwhile')}
            </Button>
          </>
        ) : (
          <>
            <Text fz={13.5} c="dimmed">
              {sentenceOf(t, input, templates, guestInfo)}
            </Text>
            <CreateButton creation={creation} />
          </>
        )}
      </div>
    </form>
  )
}

function CreateButton({ creation }: { creation: Creation | null }) {
  const { t } = useTranslation()
  const status = creation?.status
  const isLate = useDelayed(status?.kind === 'sending' || status?.kind === 'signed-out')
  const now = useSeconds(status?.kind === 'limited')
  const label =
    status?.kind === 'limited'
      ? t('desk.sends-in', { seconds: Math.max(0, Math.ceil((status.until - now) / 1000)) })
      : t(status?.kind === 'none' ? 'actions.try-again' : 'desk.create')
  return (
    <Button
      type="submit"
      h={50}
      fz={15}
      className={classes.create ?? ''}
      loading={isLate}
      disabled={status?.kind === 'limited'}
      rightSection={status?.kind !== 'limited' && <kbd className={`${classes.key} ${classes.keyOnFilled}`}>{'⏎'}</kbd>}
    >
      {label}
    </Button>
  )
}
