import { Button, Checkbox, Input, NumberInput, Paper, Switch, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestDataChange, GuestDataSettings } from '../../../../../client/voucher-api.generated.ts'
import { changedFields } from '../../../changed-fields.ts'
import { Moment } from '../../../components/moment.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { useSaveForm } from '../../../hooks/use-save-form.ts'
import { updateGuestData } from '../../../queries/guest-data.ts'
import { useScopeZone } from '../../../sites.ts'
import { useUnsavedMark } from '../unsaved.ts'
import { daysField, daysInRange } from './days.ts'
import { ForgetSentence } from './forget-sentence.tsx'
import classes from './guest-data.module.css'
import { OtherTimes } from './other-times.tsx'

type Values = { isOn: boolean; days: number | ''; revokesUnused: boolean; unusedDays: number | '' }

/** The values that a person sees first when they switch something on. */
const suggested = { days: 90, unusedDays: 365 }

/** When guests are forgotten. Every change shows what the next run would do, before it is saved. */
export function ForgetPanel({ settings }: { settings: GuestDataSettings }) {
  const { t } = useTranslation()
  const { form, element, isSaving, error, saved } = useForgetForm(settings)
  const { values } = form
  const change = changedFields(toFields(saved), toFields(values))
  useUnsavedMark(change !== undefined)
  const someForget = settings.exceptions.some(({ forget_after_days: days }) => days !== null)
  const isUsed = values.isOn || someForget
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" className={classes.panel ?? ''}>
      <form {...element} className={classes.part}>
        <div className={classes.head}>
          <Title order={2} fz={15} lh="22px">
            {t('guest-data.forget')}
          </Title>
          <Switch aria-label={t('guest-data.forget')} {...form.getInputProps('isOn', { type: 'checkbox' })} />
        </div>
        <div className={classes.line}>
          {values.isOn ? (
            <Days name="days" label={t('guest-data.days-after')} form={form} />
          ) : (
            <Text className={classes.grow ?? ''}>{t(someForget ? 'guest-data.off-others' : 'guest-data.off')}</Text>
          )}
          {change && (
            <Button type="submit" loading={isSaving}>
              {t('actions.save')}
            </Button>
          )}
        </div>
        {values.isOn && (
          <Text fz={13.5} c="dimmed">
            {t('guest-data.forget-text')}
          </Text>
        )}
        {isUsed && (
          <div>
            <Checkbox label={t('guest-data.unused')} {...form.getInputProps('revokesUnused', { type: 'checkbox' })} />
            <div className={classes.unused}>
              {values.revokesUnused ? (
                <Days name="unusedDays" label={t('guest-data.days-after-creation')} form={form} />
              ) : (
                <Text fz={13} c="var(--vs-warn-text)">
                  {t('guest-data.unused-kept')}
                </Text>
              )}
            </div>
          </div>
        )}
        <div role="status" className={classes.sentence}>
          {change && !isComplete(values) ? (
            // The field says it too, as soon as the person leaves it.
            !form.errors['days'] &&
            !form.errors['unusedDays'] && (
              <Text fz={13.5} c="dimmed">
                {t('guest-data.days-wrong')}
              </Text>
            )
          ) : change ? (
            <ForgetSentence
              wanted={change}
              days={toFields(values).forget_after_days}
              before={toFields(saved).forget_after_days}
            />
          ) : (
            settings.last_run && <LastRun run={settings.last_run} />
          )}
        </div>
        {error && <ErrorMessage error={error} />}
      </form>
      <OtherTimes settings={settings} />
    </Paper>
  )
}

function useForgetForm(settings: GuestDataSettings) {
  const { t } = useTranslation()
  const [saved, setSaved] = useState(() => toValues(settings))
  const wrong = t('guest-data.days-wrong')
  const { form, ...save } = useSaveForm({
    initialValues: saved,
    validateInputOnBlur: ['days', 'unusedDays'],
    validate: {
      days: (days, { isOn }) => (isOn && !daysInRange(days) ? wrong : null),
      unusedDays: (days, { revokesUnused }) => (revokesUnused && !daysInRange(days) ? wrong : null),
    },
    toFields,
    update: updateGuestData,
    fields: { forget_after_days: 'days', unused_after_days: 'unusedDays' },
    onSaved: (answer) => {
      if (!answer) return
      const values = toValues(answer)
      setSaved(values)
      form.setValues(values)
      form.resetDirty(values)
      notifications.show({ message: t('actions.saved') })
      // The button that had the focus is gone.
      save.element.ref.current?.querySelector('input')?.focus()
    },
  })
  return { form, saved, ...save }
}

type Form = ReturnType<typeof useForgetForm>['form']

/** A number of days with the words behind it, and its error below. */
function Days({ name, label, form }: { name: 'days' | 'unusedDays'; label: string; form: Form }) {
  const id = useId()
  const error = form.errors[name]
  const { error: _, ...field } = form.getInputProps(name)
  return (
    <div className={classes.grow}>
      <div className={classes.days}>
        <NumberInput
          {...daysField}
          id={id}
          error={Boolean(error)}
          {...(error && { 'aria-describedby': `${id}-error` })}
          {...field}
        />
        <label htmlFor={id}>{label}</label>
      </div>
      {error && (
        <Input.Error id={`${id}-error`} mt={6}>
          {error}
        </Input.Error>
      )}
    </div>
  )
}

function LastRun({ run: { at, vouchers } }: { run: NonNullable<GuestDataSettings['last_run']> }) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  return (
    <Text fz={13} c="dimmed">
      {t('guest-data.last-run')} <Moment at={at} timeZone={timeZone} /> ·{' '}
      {t('guest-data.vouchers', { count: vouchers })}
    </Text>
  )
}

function toValues({ forget_after_days: days, unused_after_days: unusedDays }: GuestDataSettings): Values {
  return {
    isOn: days !== null,
    days: days ?? suggested.days,
    revokesUnused: unusedDays !== null,
    unusedDays: unusedDays ?? suggested.unusedDays,
  }
}

function isComplete({ isOn, days, revokesUnused, unusedDays }: Values): boolean {
  return (!isOn || daysInRange(days)) && (!revokesUnused || daysInRange(unusedDays))
}

function toFields({
  isOn,
  days,
  revokesUnused,
  unusedDays,
}: Values): Omit<Required<GuestDataChange>, 'delete_on_controller'> {
  return {
    forget_after_days: isOn ? Number(days) : null,
    unused_after_days: revokesUnused ? Number(unusedDays) : null,
  }
}
