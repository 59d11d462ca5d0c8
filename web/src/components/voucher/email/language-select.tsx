import { Select, type SelectProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { GuestLanguage } from '#slips/guest-languages.ts'
import { guestLanguagesByName } from '../../../guest-languages-by-name.ts'
import './message-words.ts'

type Props = Pick<SelectProps, 'disabled' | 'w'> & {
  language: GuestLanguage
  onChange: (language: GuestLanguage) => void
}

export function LanguageSelect({ language, onChange, ...select }: Props) {
  const { t } = useTranslation()
  return (
    <Select
      {...select}
      size="md"
      label={t('voucher-email.language')}
      data={guestLanguagesByName()}
      searchable
      selectFirstOptionOnChange // otherwise Enter would send the message in the language before
      allowDeselect={false}
      value={language}
      onChange={(value) => value && onChange(value)}
    />
  )
}
