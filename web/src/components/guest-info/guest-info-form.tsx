import { Checkbox, MultiSelect, Select, Stack, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { maxSlipLanguages } from '#slips/slip-lines.ts'
import type { GuestInfo } from '../../../../client/voucher-api.generated.ts'
import { allTimeZones } from '../../formats.ts'
import { guestLanguagesByName } from '../../guest-languages-by-name.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { ChoiceField } from '../choice-field.tsx'
import { SecretInput } from '../password-field.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import type { GuestInfoFormState } from './guest-info-values.ts'
import { LogoField } from './logo-field.tsx'

addTexts({ de, en })

/** The fields for the facts that guests see on a slip. The page saves them with `toGuestInfo`. */
export function GuestInfoForm({ form, stored }: { form: GuestInfoFormState; stored: GuestInfo }) {
  const { t } = useTranslation()
  return (
    <Stack gap={20}>
      <TextInput
        autoComplete="off"
        spellCheck={false}
        label={t('guest-info.wifi')}
        description={t('guest-info.wifi-what')}
        {...form.getInputProps('wifi_name')}
      />
      <WifiPassword form={form} />
      <Checkbox label={t('guest-info.hidden')} {...form.getInputProps('wifi_hidden', { type: 'checkbox' })} />
      <MultiSelect
        label={t('guest-info.languages')}
        description={t('guest-info.languages-what')}
        maxValues={maxSlipLanguages}
        data={guestLanguagesByName()}
        searchable
        {...form.getInputProps('guest_languages')}
      />
      <TextInput
        label={t('guest-info.footer')}
        placeholder={t('guest-info.footer-example')}
        description={t('guest-info.footer-what')}
        maxLength={200}
        {...form.getInputProps('footer')}
      />
      <TimeZone form={form} stored={stored} />
      <LogoField
        description={t('guest-info.logo-what')}
        value={form.values.logo}
        isStored={stored.logo_updated_at !== null}
        onChange={(logo) => form.setFieldValue('logo', logo)}
      />
    </Stack>
  )
}

function WifiPassword({ form }: { form: GuestInfoFormState }) {
  const { t } = useTranslation()
  const { hasPassword } = form.values
  return (
    <div>
      <ChoiceField
        label={t('guest-info.password')}
        data={[
          { value: 'open', label: t('guest-info.open') },
          { value: 'protected', label: t('guest-info.protected') },
        ]}
        value={hasPassword ? 'protected' : 'open'}
        onChange={(value) => form.setFieldValue('hasPassword', value === 'protected')}
      />
      {hasPassword && (
        <SecretInput
          mt={8}
          aria-label={t('guest-info.password')}
          autoComplete="off"
          {...form.getInputProps('wifi_password')}
        />
      )}
    </div>
  )
}

function TimeZone({ form, stored }: { form: GuestInfoFormState; stored: GuestInfo }) {
  const { t } = useTranslation()
  const service = stored.time_zone_is_default
    ? t('guest-info.time-zone-service', { timeZone: stored.time_zone })
    : t('guest-info.time-zone-service', { timeZone: '…' })
  return (
    <Select
      label={t('guest-info.time-zone')}
      searchable
      allowDeselect={false}
      limit={100}
      nothingFoundMessage={t('guest-info.time-zone-none')}
      data={[{ value: '', label: service }, ...allTimeZones()]}
      {...form.getInputProps('time_zone')}
    />
  )
}
