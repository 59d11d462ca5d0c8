import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, GuestInfoChange } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import type { GuestLanguage } from '../../print/slip-texts.ts'

/** The facts of a site as the form has them. An empty text means none; an empty time zone is that of the service. */
export type GuestInfoValues = {
  wifi_name: string
  hasPassword: boolean
  wifi_password: string
  wifi_hidden: boolean
  guest_languages: GuestLanguage[]
  footer: string
  time_zone: string
  /** A new file, or null to remove the logo. Undefined keeps what is stored. */
  logo: File | null | undefined
}

export type GuestInfoFormState = ReturnType<typeof useGuestInfoForm>

const maxWifiBytes = 32

export function useGuestInfoForm(stored: GuestInfo) {
  const { t } = useTranslation()
  return useForm<GuestInfoValues>({
    initialValues: {
      wifi_name: stored.wifi_name ?? '',
      hasPassword: stored.wifi_password_set,
      wifi_password: stored.wifi_password ?? '',
      wifi_hidden: stored.wifi_hidden,
      guest_languages: stored.guest_languages,
      footer: stored.footer ?? '',
      time_zone: stored.time_zone_is_default ? '' : stored.time_zone,
      logo: undefined,
    },
    validateInputOnBlur: ['wifi_name', 'wifi_password'],
    validate: {
      wifi_name: (name) =>
        new TextEncoder().encode(name.trim()).length > maxWifiBytes ? t('guest-info.wifi-long') : null,
      wifi_password: (password, { hasPassword }) =>
        hasPassword && !/^([\x20-\x7e]{8,63}|[0-9a-fA-F]{64})$/.test(password) ? t('guest-info.password-wrong') : null,
    },
  })
}

function toChange(values: GuestInfoValues): GuestInfoChange {
  return {
    wifi_name: values.wifi_name.trim() || null,
    wifi_password: values.hasPassword ? values.wifi_password : null,
    wifi_hidden: values.wifi_hidden,
    guest_languages: values.guest_languages,
    footer: values.footer.trim() || null,
    time_zone: values.time_zone || null,
  }
}

/** Stores the facts and the logo of a site. */
export async function saveGuestInfo(siteId: number, values: GuestInfoValues): Promise<GuestInfo> {
  if (values.logo) await api.updateLogo(siteId, values.logo)
  if (values.logo === null) await api.deleteLogo(siteId)
  return api.updateGuestInfo(siteId, toChange(values))
}
