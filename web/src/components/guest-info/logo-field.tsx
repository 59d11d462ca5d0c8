import { Anchor, Button, FileButton, Group, Input, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addTexts } from '../../i18n/i18n.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

const maxLogoBytes = 256 * 1024

type Props = {
  description: string
  /** A new file, or null to remove the logo. Undefined keeps what is stored. */
  value: File | null | undefined
  isStored: boolean
  onChange: (logo: File | null | undefined) => void
}

/** Chooses the logo of a site or of the house, or removes it. */
export function LogoField({ description, value, isStored, onChange }: Props) {
  const { t } = useTranslation()
  const [isLarge, setIsLarge] = useState(false)
  const hasLogo = value === undefined ? isStored : value !== null
  const choose = (file: File | null) => {
    setIsLarge(file !== null && file.size > maxLogoBytes)
    if (file && file.size <= maxLogoBytes) onChange(file)
  }
  return (
    <Input.Wrapper
      label={t('guest-info.logo')}
      labelElement="div"
      description={description}
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
            <Text fz={13.5}>{value ? value.name : t('guest-info.logo-current')}</Text>
            <Anchor component="button" type="button" fz={13.5} onClick={() => onChange(isStored ? null : undefined)}>
              {t('guest-info.logo-remove')}
            </Anchor>
          </>
        )}
      </Group>
    </Input.Wrapper>
  )
}
