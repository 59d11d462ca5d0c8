import { Button, Code, Group, Stack, TextInput } from '@mantine/core'
import { isEmail, isNotEmpty } from '@mantine/form'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toApiError } from '../../api.ts'
import { ChoiceField } from '../../components/choice-field.tsx'
import { Notice } from '../../components/notice.tsx'
import { PasswordField, usePasswordCheck } from '../../components/password-field.tsx'
import { useErrorTexts } from '../../components/state-pages.tsx'
import { UnencryptedLine } from '../../components/unencrypted/unencrypted.tsx'
import { fieldErrors } from '../../field-errors.ts'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { changeLanguage, currentLanguage } from '../../i18n/i18n.ts'
import {
  checkSetupToken,
  createAdministrator,
  useOtherTabs,
  useReloadSession,
  useSignedIn,
} from '../../queries/session.ts'
import { leave } from '../../sign-out.ts'
import { storedValue } from '../../stored-value.ts'
import { FirstRunFrame } from './first-run-frame.tsx'
import { Heading, NextButton, SideLink } from './step-parts.tsx'

/** The setup token that the service accepted, until there is an administrator: a reload of this tab continues with it. */
const storedToken = storedValue({
  storage: sessionStorage,
  key: 'vs.setup-token',
  version: 1,
  isValid: (value: unknown): value is string => typeof value === 'string',
})

/** The first two steps: token and administrator. The second one needs a token that the service accepted in the first one. */
export function AdministratorSteps({ steps }: { steps: string[] }) {
  const navigate = useNavigate({ from: '/first-run' })
  const { step } = useSearch({ from: '/first-run' })
  const [token, setToken] = useState(() => storedToken.read())
  const keepToken = (accepted: string | null) => {
    storedToken.write(accepted)
    setToken(accepted)
  }
  const tokenForm = useTokenForm(token ?? '', (accepted) => {
    keepToken(accepted)
    void navigate({ search: { step: 'administrator' } })
  })
  const administratorForm = useAdministratorForm(token ?? '', (rejection) => {
    keepToken(null)
    tokenForm.form.setErrors(rejection)
    void navigate({ search: {}, replace: true })
  })
  useOtherTabs(leave)
  const isAccepted = step === 'administrator' && token !== null
  return (
    <FirstRunFrame step={isAccepted ? 1 : 0} steps={steps}>
      {isAccepted ? (
        <AdministratorStep {...administratorForm} onBack={() => void navigate({ search: {} })} />
      ) : (
        <TokenStep {...tokenForm} />
      )}
    </FirstRunFrame>
  )
}

function useTokenForm(token: string, onAccepted: (token: string) => void) {
  const { t } = useTranslation()
  return useSaveForm({
    initialValues: { token },
    validate: { token: isNotEmpty(t('first-run.token-missing')) },
    toFields: (values) => values,
    create: checkSetupToken,
    ...useTokenMessages(),
    onSaved: (accepted) => onAccepted(accepted ?? token),
  })
}

/** `onTokenRejected` gets the message for the token: it may expire while the person types. */
function useAdministratorForm(token: string, onTokenRejected: (errors: { token: string }) => void) {
  const { t } = useTranslation()
  const signedIn = useSignedIn()
  const saveForm = useSaveForm({
    initialValues: { name: '', email: '', password: '', language: currentLanguage() },
    validateInputOnBlur: ['name', 'email', 'password'],
    validate: {
      name: isNotEmpty(t('person.name-missing')),
      email: isEmail(t('person.email-wrong')),
      password: usePasswordCheck(),
    },
    toFields: (values) => ({ ...values, token }),
    create: createAdministrator,
    onSaved: (person) => {
      storedToken.write(null)
      return person && signedIn(person)
    },
  })
  const messages = useTokenMessages()
  useEffect(() => {
    const { token: message } = saveForm.error ? fieldErrors(saveForm.error, { known: ['token'], ...messages }) : {}
    if (message !== undefined) onTokenRejected({ token: message })
  }, [saveForm.error])
  return saveForm
}

/** The errors of the API that belong to the field of the token, and their texts. */
function useTokenMessages() {
  const { t } = useTranslation()
  return {
    fields: { setup_token_invalid: 'token', setup_token_expired: 'token' } as const,
    texts: { setup_token_invalid: t('first-run.token-wrong'), setup_token_expired: t('first-run.token-expired') },
  }
}

function TokenStep({ form, element, isSaving, error }: ReturnType<typeof useTokenForm>) {
  const { t } = useTranslation()
  return (
    <form {...element}>
      <Heading title={t('first-run.welcome')} text={t('first-run.welcome-text')} />
      <Stack gap="md" align="flex-start">
        <TextInput
          w="100%"
          maw={560}
          autoFocus
          autoComplete="off"
          spellCheck={false}
          label={t('first-run.token')}
          description={t('first-run.token-where')}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...form.getInputProps('token')}
        />
        <Code block w="100%" maw={560} p="sm">
          {'docker compose logs app | grep setup\nsudo journalctl --unit voucher-service | grep setup'}
        </Code>
        <Failure error={error} />
        <NextButton isLoading={isSaving} />
      </Stack>
    </form>
  )
}

type AdministratorProps = ReturnType<typeof useAdministratorForm> & { onBack: () => void }

function AdministratorStep({ form, element, isSaving, error, onBack }: AdministratorProps) {
  const { t } = useTranslation()
  return (
    <form {...element}>
      <Heading title={t('first-run.administrator')} text={t('first-run.administrator-text')} />
      <Stack gap={20} maw={440}>
        <UnencryptedLine />
        <TextInput autoFocus autoComplete="name" label={t('person.name')} {...form.getInputProps('name')} />
        <TextInput type="email" autoComplete="username" label={t('sign-in.email')} {...form.getInputProps('email')} />
        <PasswordField label={t('sign-in.password')} {...form.getInputProps('password')} value={form.values.password} />
        <ChoiceField
          fullWidth={false}
          label={t('person.language')}
          data={(['de', 'en'] as const).map((value) => ({ value, label: t(`languages.${value}`) }))}
          value={form.values.language}
          onChange={(language) => {
            form.setFieldValue('language', language)
            changeLanguage(language)
          }}
        />
        <Failure error={error} />
        <Group gap="lg">
          <NextButton isLoading={isSaving} />
          <SideLink onClick={onBack}>{t('actions.back')}</SideLink>
        </Group>
      </Stack>
    </form>
  )
}

/** A failure that belongs to no field. If there is an administrator already, the page offers the sign-in, and then continues. */
function Failure({ error }: { error: unknown }) {
  const { t } = useTranslation()
  const { text } = useErrorTexts(error)
  const reloadSession = useReloadSession()
  if (!error) return null
  const isDone = toApiError(error).error === 'setup_done'
  const action = isDone && (
    <Button variant="default" onClick={reloadSession}>
      {t('sign-in.submit')}
    </Button>
  )
  return (
    <Notice tone="bad" action={action}>
      {text}
    </Notice>
  )
}
