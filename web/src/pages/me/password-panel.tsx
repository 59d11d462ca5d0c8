import { Button } from '@mantine/core'
import { isNotEmpty } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../components/dialog.tsx'
import { PasswordField, SecretInput, usePasswordCheck } from '../../components/password-field.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { useIsOnlyByProvider, useProviderName } from '../../provider-name.ts'
import { updateMyPassword } from '../../queries/my-account.ts'
import { usePerson } from '../../session.tsx'
import { RowsPanel } from './rows-panel.tsx'

/** Changes the password. People who sign in only by the provider have none. */
export function PasswordPanel() {
  const { t } = useTranslation()
  const provider = useProviderName(usePerson())
  const isOnlyByProvider = useIsOnlyByProvider()
  const [isOpen, setIsOpen] = useState(false)
  const change = (
    <Button variant="default" onClick={() => setIsOpen(true)}>
      {t('me.change')}
    </Button>
  )
  if (isOnlyByProvider) return <RowsPanel title={t('sign-in.password')} text={t('me.no-password', { provider })} />
  return (
    <RowsPanel title={t('sign-in.password')} text={t('me.password-text')} actions={change}>
      {isOpen && <PasswordDialog onClose={() => setIsOpen(false)} />}
    </RowsPanel>
  )
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const check = usePasswordCheck()
  const { email } = usePerson()
  const { form, ...save } = useSaveForm({
    initialValues: { current_password: '', new_password: '' },
    validate: { current_password: isNotEmpty(t('sign-in.password-missing')), new_password: check },
    toFields: (values) => values,
    create: updateMyPassword,
    fields: { password_wrong: 'current_password' },
    texts: { password_wrong: t('me.password-wrong') },
    onSaved: () => {
      notifications.show({ message: t('me.password-changed') })
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title={t('me.change-password')}
      form={save}
      action={t('me.change-password')}
      isSticky={form.isDirty()}
    >
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <SecretInput
        data-autofocus
        autoComplete="current-password"
        label={t('me.current-password')}
        {...form.getInputProps('current_password')}
      />
      <PasswordField
        label={t('password.new')}
        {...form.getInputProps('new_password')}
        value={form.values.new_password}
      />
    </FormDialog>
  )
}
