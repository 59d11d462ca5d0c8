import {
  Anchor,
  Button,
  Checkbox,
  FileButton,
  Group,
  Input,
  MultiSelect,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { maxSlipLanguages } from '#slips/slip-lines.ts'
import type { GuestInfo } from '../../../../client/voucher-api.generated.ts'
import { allTimeZones } from '../../formats.ts'
import { guestLanguagesByName } from '../../guest-languages-by-name.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { SecretInput } from '../password-field.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import type { GuestInfoFormState } from './guest-info-values.ts'

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
      <LogoField form={form} stored={stored} />
    </Stack>
  )
}

function WifiPassword({ form }: { form: GuestInfoFormState }) {
  const { t } = useTranslation()
  const id = useId()
  const { hasPassword } = form.values
  return (
    <div>
      <Text fz="sm" fw={500} mb={6} id={id}>
        {t('guest-info.password')}
      </Text>
      <SegmentedControl
        fullWidth
        aria-labelledby={id}
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

const maxLogoBytes = 256 * 1024

function LogoField({ form, stored }: { form: GuestInfoFormState; stored: GuestInfo }) {
  const { t } = useTranslation()
  const [isLarge, setIsLarge] = useState(false)
  const { logo } = form.values
  const hasLogo = logo === undefined ? stored.logo_updated_at !== null : logo !== null
  const choose = (file: File | null) => {
    setIsLarge(file !== null && file.size > maxLogoBytes)
    if (file && file.size <= maxLogoBytes) form.setFieldValue('logo', file)
  }
  return (
    <Input.Wrapper
      label={t('guest-info.logo')}
      labelElement="div"
      description={t('guest-info.logo-what')}
      error={isLarge && t('guest-info.logo-large')}
    >
      <Group gap="md" my={4}>
        <FileButton accept="image/png,image/jpeg" onChange={choose}>
          {(props) => (
            <Button variant="default" {...props}>
              {t('guest-info.logo-choose')}
            </Button>
          )}
        </FileButton>
        {hasLogo && (
          <>
            <Text fz={13.5}>{logo ? logo.name : t('guest-info.logo-current')}</Text>
            <Anchor
              component="button"
              type="button"
              fz={13.5}
              onClick={() => form.setFieldValue('logo', stored.logo_updated_at === null ? undefined : null)}
            >
              {t('guest-info.logo-remove')}
            </Anchor>
          </>
        )}
      </Group>
    </Input.Wrapper>
  )
}
