import { Code, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { isEmail, isNotEmpty, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, toApiError } from '../../api.ts'
import { Notice } from '../../components/notice.tsx'
import { PasswordField, usePasswordCheck } from '../../components/password-field.tsx'
import { useErrorTexts } from '../../components/state-pages.tsx'
import { UnencryptedLine } from '../../components/unencrypted.tsx'
import { changeLanguage, currentLanguage, type Language } from '../../i18n/i18n.ts'
import { useSignedIn } from '../../session.tsx'
import { FirstRunFrame } from './first-run-frame.tsx'
import { Heading, NextButton, SideLink } from './step-parts.tsx'

/** The first two steps: token and administrator. The service checks the token only when the administrator is sent. */
export function AdministratorSteps({ steps }: { steps: string[] }) {
  const { t } = useTranslation()
  const [step, setStep] = useState(0)
  const signedIn = useSignedIn()
  const form = useFirstRunForm()
  const setUp = useMutation({
    mutationFn: (values: typeof form.values) => api.createFirstAdministrator({ ...values, token: values.token.trim() }),
    onSuccess: signedIn,
    onError: (failure) => {
      const { error: code, errors } = toApiError(failure)
      form.setErrors(Object.fromEntries(errors.map(({ field, message }) => [field, message])))
      if (code === 'setup_token_invalid') form.setFieldError('token', t('first-run.token-wrong'))
      if (code === 'setup_token_invalid' || errors.some(({ field }) => field === 'token')) setStep(0)
    },
  })
  const goOn = () => {
    if (form.validateField('token').hasError) return
    setStep(1)
  }
  return (
    <FirstRunFrame step={step} steps={steps}>
      {step === 0 && <TokenStep form={form} onNext={goOn} />}
      {step === 1 && (
        <AdministratorStep
          form={form}
          failure={Object.keys(form.errors).length === 0 ? setUp.error : null}
          isSaving={setUp.isPending}
          onBack={() => setStep(0)}
          onNext={form.onSubmit((values) => setUp.mutate(values))}
        />
      )}
    </FirstRunFrame>
  )
}

function useFirstRunForm() {
  const { t } = useTranslation()
  return useForm({
    initialValues: { token: '', name: '', email: '', password: '', language: currentLanguage() },
    validateInputOnBlur: ['name', 'email', 'password'],
    validate: {
      token: isNotEmpty(t('first-run.token-missing')),
      name: isNotEmpty(t('first-run.name-missing')),
      email: isEmail(t('first-run.email-wrong')),
      password: usePasswordCheck(),
    },
  })
}

type Form = ReturnType<typeof useFirstRunForm>

function TokenStep({ form, onNext }: { form: Form; onNext: () => void }) {
  const { t } = useTranslation()
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onNext()
      }}
    >
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
        <NextButton />
      </Stack>
    </form>
  )
}

type AdministratorProps = {
  form: Form
  failure: unknown
  isSaving: boolean
  onBack: () => void
  onNext: (event: React.FormEvent<HTMLFormElement>) => void
}

function AdministratorStep({ form, failure, isSaving, onBack, onNext }: AdministratorProps) {
  const { t } = useTranslation()
  const { text } = useErrorTexts(failure)
  return (
    <form noValidate onSubmit={onNext}>
      <Heading title={t('first-run.administrator')} text={t('first-run.administrator-text')} />
      <Stack gap={20} maw={440}>
        <UnencryptedLine />
        <TextInput autoFocus autoComplete="name" label={t('person.name')} {...form.getInputProps('name')} />
        <TextInput type="email" autoComplete="username" label={t('sign-in.email')} {...form.getInputProps('email')} />
        <PasswordField label={t('sign-in.password')} {...form.getInputProps('password')} value={form.values.password} />
        <div>
          <Text fz="sm" fw={500} mb={6} id="first-run-language">
            {t('person.language')}
          </Text>
          <SegmentedControl
            aria-labelledby="first-run-language"
            data={(['de', 'en'] as const).map((value) => ({ value, label: t(`languages.${value}`) }))}
            value={form.values.language}
            onChange={(value) => {
              form.setFieldValue('language', value as Language)
              changeLanguage(value as Language)
            }}
          />
        </div>
        {failure !== null && <Notice tone="bad">{text}</Notice>}
        <Group gap="lg">
          <NextButton isLoading={isSaving} />
          <SideLink onClick={onBack}>{t('actions.back')}</SideLink>
        </Group>
      </Stack>
    </form>
  )
}
