import { Checkbox, Select, Stack, TextInput, type TextInputProps } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Webhook } from '../../../../client/voucher-api.generated.ts'
import { SitesField } from '../../components/sites-field.tsx'
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

/** The fields that can be changed later, as the API takes them. */
export function changeableFields({ name, events, sites, language }: WebhookValues) {
  return { name: name.trim(), events, site_ids: sites === 'all' ? null : sites, language }
}

/** The checks of the form, for `useSaveForm`. Format and address are part of a new webhook only. */
export function webhookChecks(t: TFunction, { isNew }: { isNew: boolean }) {
  const missing = (field: 'name' | 'url' | 'events' | 'sites') => t(`webhooks.missing-${field}`)
  return {
    validate: {
      name: (name: string) => (name.trim() === '' ? missing('name') : null),
      url: (url: string) => (isNew && !isWebAddress(url) ? missing('url') : null),
      events: (events: string[]) => (events.length === 0 ? missing('events') : null),
      sites: (sites: WebhookValues['sites']) => (sites.length === 0 ? missing('sites') : null),
    },
    fields: { site_ids: 'sites', webhook_name_taken: 'name', display_name_invalid: 'name' } as const,
  }
}

/** The fields of a webhook. The button can always be pressed; it points to what is missing. */
export function WebhookFields({ form, isNew }: { form: UseFormReturnType<WebhookValues>; isNew: boolean }) {
  const { t } = useTranslation()
  const { role } = usePerson()
  const { format } = form.values
  return (
    <>
      <TextInput label={t('webhooks.name')} data-autofocus {...form.getInputProps('name')} />
      {isNew && (
        <>
          <Select
            label={t('webhooks.format')}
            data={formats.map((value) => ({ value, label: t(`webhooks.format-${value}`) }))}
            allowDeselect={false}
            description={format === 'generic' ? t('webhooks.signed-hint') : undefined}
            {...form.getInputProps('format')}
          />
          <UrlField {...form.getInputProps('url')} />
        </>
      )}
      <Checkbox.Group label={t('webhooks.events')} {...form.getInputProps('events')}>
        <Stack gap={10} mt={6}>
          {Object.entries(eventKeys).map(([type, text]) => (
            <Checkbox key={type} value={type} label={<code>{type}</code>} description={t(text)} />
          ))}
        </Stack>
      </Checkbox.Group>
      <SitesField
        label={t('webhooks.sites')}
        canBeAll={role === 'admin'}
        {...form.getInputProps('sites')}
        value={form.values.sites}
      />
      {format !== 'generic' && (
        <Select
          label={t('webhooks.language')}
          data={(['de', 'en'] as const).map((value) => ({ value, label: t(`languages.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps('language')}
        />
      )}
    </>
  )
}

/** The service decides about the rest: it accepts http:// only for addresses that its operator allowed. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\/./i.test(url.trim())
}

/** The address is a secret: browsers must not remember it. */
export function UrlField(props: TextInputProps) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t('webhooks.url')}
      description={t('webhooks.url-hint')}
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
      {...props}
    />
  )
}
