import { Checkbox, Group, NumberInput, Radio, Select, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import type { Key, KeyWithSecret, NewKey } from '../../../../client/voucher-api.generated.ts'
import { checkIssuing, IssuingFields } from '../../components/issuing/issuing-fields.tsx'
import { issuingNames } from '../../components/issuing/issuing-input.ts'
import { SitesField } from '../../components/sites-field.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { checkInput, expiryChoices, type KeyInput, localDay, scopes, toNewKey } from './key-input.ts'

type Form = UseFormReturnType<KeyInput>

type Props = {
  form: Form
  /** The scope of a key never changes, so only a new key has the field. */
  isNew: boolean
}

type Saving = Pick<
  Parameters<typeof useSaveForm<KeyInput, NewKey, KeyWithSecret, Key>>[0],
  'create' | 'update' | 'onSaved'
>

/** The form for a new key, or for a change of a key. */
export function useKeyForm(initialValues: KeyInput, saving: Saving) {
  const { t } = useTranslation()
  return useSaveForm<KeyInput, NewKey, KeyWithSecret, Key>({
    initialValues,
    validate: (values) => ({
      perDay: checkIssuing(t).perDay(values.perDay),
      longest: checkIssuing(t).longest(values.longest),
      ...Object.fromEntries(Object.entries(checkInput(values)).map(([field, text]) => [field, t(text)])),
    }),
    toFields: (values) => toNewKey(values),
    fields: { site_ids: 'sites', requests_per_minute: 'limit', expires_at: 'expiry', ...issuingNames },
    ...saving,
  })
}

export function KeyFields({ form, isNew }: Props) {
  const { t } = useTranslation()
  return (
    <Stack gap="lg">
      <TextInput
        label={t('keys-page.name')}
        description={t('keys-page.name-help')}
        maxLength={200}
        data-autofocus
        {...form.getInputProps('name')}
      />
      {isNew && (
        <Radio.Group
          label={t('keys-page.scope')}
          {...form.getInputProps('scope')}
          onChange={(scope) => {
            form.setFieldValue('scope', scope as KeyInput['scope'])
            form.clearFieldError('expiry') // it may depend on the scope
          }}
        >
          <Stack gap={10} mt={6}>
            {scopes.map((scope) => (
              <Radio key={scope} value={scope} label={scope} description={t(`keys-page.scope-${scope}`)} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <SitesField
        label={t('keys-page.sites-title')}
        canBeAll
        {...form.getInputProps('sites')}
        value={form.values.sites}
      />
      <LimitFields form={form} />
      {(!isNew || form.values.scope !== 'read') && <IssuingFields form={form} />}
      <ExpiryFields form={form} />
    </Stack>
  )
}

function LimitFields({ form }: { form: Form }) {
  const { t } = useTranslation()
  return (
    <Stack gap="xs">
      <NumberInput
        label={t('keys-page.limit')}
        description={t('keys-page.limit-help')}
        {...form.getInputProps('limit')}
        onChange={(limit) => form.setFieldValue('limit', typeof limit === 'number' ? limit : '')}
        disabled={form.values.isUnlimited}
        min={1}
        clampBehavior="none"
        thousandSeparator=" "
        styles={{ wrapper: { maxWidth: 200 } }}
      />
      <Checkbox
        label={t('keys-page.no-limit')}
        checked={form.values.isUnlimited}
        onChange={(event) => {
          form.setFieldValue('isUnlimited', event.currentTarget.checked)
          form.clearFieldError('limit')
        }}
      />
    </Stack>
  )
}

function ExpiryFields({ form }: { form: Form }) {
  const { t } = useTranslation()
  const isDate = form.values.expiry === 'date'
  const error = form.errors['expiry']
  return (
    <Group align="flex-start" wrap="wrap" gap="sm">
      <Select
        label={t('keys-page.expires')}
        data={expiryChoices.map((choice) => ({ value: choice, label: t(`keys-page.expiry-${choice}`) }))}
        allowDeselect={false}
        {...form.getInputProps('expiry')}
        error={!isDate && error}
        style={{ flex: '1 1 200px' }}
      />
      {isDate && (
        <TextInput
          type="date"
          label={t('keys-page.last-day')}
          min={localDay(new Date())}
          {...form.getInputProps('date')}
          onChange={(event) => {
            form.setFieldValue('date', event.currentTarget.value)
            form.clearFieldError('expiry')
          }}
          error={error}
          style={{ flex: '1 1 160px' }}
        />
      )}
    </Group>
  )
}
