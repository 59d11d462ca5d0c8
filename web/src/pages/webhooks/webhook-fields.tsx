import { Button, Checkbox, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Webhook, WebhookChange } from '../../../../client/voucher-api.generated.ts'
import { toApiError } from '../../api.ts'
import { changedFields } from '../../changed-fields.ts'
import { DialogActions } from '../../components/dialog.tsx'
import { SitesField } from '../../components/sites-field.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { usePerson } from '../../session.tsx'
import { eventKeys, formats } from './webhook-data.ts'

export type WebhookValues = {
  name: string
  format: Webhook['format']
  url: string
  events: Webhook['events']
  sites: number[] | 'all'
  language: Webhook['language']
}

export function formValuesOf({ name, format, events, language, all_sites, site_ids }: Webhook): WebhookValues {
  return { name, format, events, language, url: '', sites: all_sites ? 'all' : site_ids }
}

/** The request for the change; undefined if nothing changed. */
export function toWebhookChange(before: WebhookValues, after: WebhookValues): WebhookChange | undefined {
  const fieldsOf = ({ name, events, sites, language }: WebhookValues) => ({
    name: name.trim(),
    events,
    site_ids: sites === 'all' ? null : sites,
    language,
  })
  return changedFields(fieldsOf(before), fieldsOf(after))
}

type Props = {
  initial: WebhookValues
  /** Format and address are part of a new webhook only. */
  isNew: boolean
  action: string
  error: unknown
  isBusy: boolean
  onSubmit: (values: WebhookValues) => void
  onCancel: () => void
}

/** The fields of a webhook. The button can always be pressed; it points to what is missing. */
export function WebhookFields({ initial, isNew, action, error, isBusy, onSubmit, onCancel }: Props) {
  const { t } = useTranslation()
  const { role } = usePerson()
  const [values, setValues] = useState(initial)
  const [isChecked, setIsChecked] = useState(false)
  const set = (change: Partial<WebhookValues>) => setValues((old) => ({ ...old, ...change }))
  const missing = missingFields(values, isNew)
  const errorOf = (field: Missing) => isChecked && missing.includes(field) && t(`webhooks.missing-${field}`)
  const submit = () => {
    setIsChecked(true)
    if (missing.length === 0) onSubmit(values)
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="md">
        <TextInput
          label={t('webhooks.name')}
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={errorOf('name')}
          data-autofocus
        />
        {isNew && (
          <>
            <Select
              label={t('webhooks.format')}
              data={formats.map((format) => ({ value: format, label: t(`webhooks.format-${format}`) }))}
              value={values.format}
              onChange={(format) => format && set({ format: format as Webhook['format'] })}
              allowDeselect={false}
              description={values.format === 'generic' ? t('webhooks.signed-hint') : undefined}
            />
            <UrlField
              value={values.url}
              onChange={(url) => set({ url })}
              error={errorOf('url') || fieldProblem(error, 'url') || false}
            />
          </>
        )}
        <Checkbox.Group
          label={t('webhooks.events')}
          value={values.events}
          onChange={(events) => set({ events: events as Webhook['events'] })}
          error={errorOf('events')}
        >
          <Stack gap={10} mt={6}>
            {Object.entries(eventKeys).map(([type, text]) => (
              <Checkbox key={type} value={type} label={<code>{type}</code>} description={t(text)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <SitesField
          label={t('webhooks.sites')}
          value={values.sites}
          onChange={(sites) => set({ sites })}
          canBeAll={role === 'admin'}
          error={errorOf('sites') || fieldProblem(error, 'site_ids')}
        />
        {values.format !== 'generic' && (
          <Select
            label={t('webhooks.language')}
            data={(['de', 'en'] as const).map((value) => ({ value, label: t(`languages.${value}`) }))}
            value={values.language}
            onChange={(language) => language && set({ language: language as Webhook['language'] })}
            allowDeselect={false}
          />
        )}
        {error && !fieldProblem(error, 'url') && !fieldProblem(error, 'site_ids') ? (
          <ErrorMessage error={error} />
        ) : null}
        <DialogActions onCancel={onCancel}>
          <Button type="submit" loading={isBusy}>
            {action}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  )
}

type Missing = 'name' | 'url' | 'events' | 'sites'

function missingFields({ name, url, events, sites }: WebhookValues, isNew: boolean): Missing[] {
  const empty: [Missing, boolean][] = [
    ['name', name.trim() === ''],
    ['url', isNew && !isWebAddress(url)],
    ['events', events.length === 0],
    ['sites', sites.length === 0],
  ]
  return empty.filter(([, isEmpty]) => isEmpty).map(([field]) => field)
}

/** The service decides about the rest: it accepts http:// only for addresses that its operator allowed. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\/./i.test(url.trim())
}

/** The message of the service about the address or the sites, for that field. */
export function fieldProblem(error: unknown, name: 'url' | 'site_ids'): string | undefined {
  return error ? toApiError(error).errors.find(({ field }) => field === name)?.message : undefined
}

type UrlProps = { value: string; onChange: (value: string) => void; error: string | false }

/** The address is a secret: browsers must not remember it. */
export function UrlField({ value, onChange, error }: UrlProps) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t('webhooks.url')}
      description={t('webhooks.url-hint')}
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  )
}
