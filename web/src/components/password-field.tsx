import { Group, PasswordInput, type PasswordInputProps, Text } from '@mantine/core'
import { IconCheck, IconCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

const minPasswordLength = 12

/**
 * A field for a new password that shows while typing whether it is long enough. Only the service can check whether it is
 * common.
 */
export function PasswordField({ value, ...props }: PasswordInputProps & { value: string }) {
  const { t } = useTranslation()
  const isLong = [...value].length >= minPasswordLength
  return (
    <div>
      <SecretInput autoComplete="new-password" value={value} {...props} />
      <Group gap={6} mt={6} c={isLong ? 'var(--vs-ok-text)' : 'dimmed'}>
        {isLong ? <IconCheck size={14} aria-hidden /> : <IconCircle size={14} aria-hidden />}
        <Text fz="xs" c="inherit">
          {t('password.rule-length', { count: minPasswordLength })}
        </Text>
      </Group>
      <Text fz="xs" c="dimmed" mt={2}>
        {t('password.hint')}
      </Text>
    </div>
  )
}

/** A field for a password or an API key. Its eye is only an icon, so it has a name. */
export function SecretInput({ visibilityToggleButtonProps, ...props }: PasswordInputProps) {
  const { t } = useTranslation()
  const eye = { 'aria-label': t('password.show'), ...visibilityToggleButtonProps }
  return <PasswordInput visibilityToggleButtonProps={eye} {...props} />
}

/** Checks a new password in a form, as far as the browser can. */
export function usePasswordCheck(): (value: string) => string | null {
  const { t } = useTranslation()
  return (value) =>
    [...value].length >= minPasswordLength ? null : t('password.too-short', { count: minPasswordLength })
}
