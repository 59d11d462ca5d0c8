import type { UseFormReturnType } from '@mantine/form'
import type { TFunction } from 'i18next'
import { type GuestLanguage, guestLanguages } from '#slips/guest-languages.ts'
import type { GuestInfo } from '../../../../client/voucher-api.generated.ts'
import { allTimeZones, browserZone } from '../../formats.ts'
import type { GuestInfoToSave } from '../../queries/guest-info.ts'

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

export type GuestInfoFormState = UseFormReturnType<GuestInfoValues>

const maxWifiBytes = 32

/** The first values and the checks of the form, for `useSaveForm`. */
export function guestInfoForm(t: TFunction, stored: GuestInfo) {
  return {
    initialValues: {
      wifi_name: stored.wifi_name ?? '',
      hasPassword: stored.wifi_password_set,
      wifi_password: stored.wifi_password ?? '',
      wifi_hidden: stored.wifi_hidden,
      guest_languages: stored.guest_languages,
      footer: stored.footer ?? '',
      time_zone: stored.time_zone_is_default ? '' : stored.time_zone,
      logo: undefined,
    } as GuestInfoValues,
    validateInputOnBlur: ['wifi_name', 'wifi_password'] as ('wifi_name' | 'wifi_password')[],
    validate: {
      wifi_name: (name: string) =>
        new TextEncoder().encode(name.trim()).length > maxWifiBytes ? t('guest-info.wifi-long') : null,
      wifi_password: (password: string, { hasPassword }: GuestInfoValues) =>
        hasPassword && !/^([\x20-\x7e]{8,63}|[0-9a-fA-F]{64})$/.test(password) ? t('guest-info.password-wrong') : null,
    },
    ordered: ['guest_languages'] as const,
  }
}

/** The values for a new site: the time zone and the languages of the browser, unless somebody chose others. */
export function withBrowserValues(values: GuestInfoValues, stored: GuestInfo): GuestInfoValues {
  const zone = browserZone()
  const isOther = zone !== stored.time_zone && allTimeZones().includes(zone)
  return {
    ...values,
    time_zone: values.time_zone === '' && isOther ? zone : values.time_zone,
    guest_languages: values.guest_languages.length === 0 ? languagesOf(navigator.languages) : values.guest_languages,
  }
}

/** Browsers also call Norwegian `no`. There is no slip in Nynorsk, and its readers read Bokmål. */
const namesInBrowsers: Record<string, GuestLanguage> = { no: 'nb', nn: 'nb' }

/** The languages of slips among those of the browser, e.g. de, en from de-AT, de, en-US. At most two, so that the slip stays short. */
export function languagesOf(locales: readonly string[]): GuestLanguage[] {
  const languages = locales.map((locale) => {
    const name = locale.split('-', 1)[0] ?? ''
    return namesInBrowsers[name] ?? guestLanguages.find((language) => language === name)
  })
  return [...new Set(languages.filter((language) => language !== undefined))].slice(0, 2)
}

/** The values as they are saved. */
export function toGuestInfo(values: GuestInfoValues): GuestInfoToSave {
  return {
    logo: values.logo,
    wifi_name: values.wifi_name.trim() || null,
    wifi_password: values.hasPassword ? values.wifi_password : null,
    wifi_hidden: values.wifi_hidden,
    guest_languages: values.guest_languages,
    footer: values.footer.trim() || null,
    time_zone: values.time_zone || null,
  }
}
