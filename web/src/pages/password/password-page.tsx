import { Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, toApiError } from '../../api.ts'
import { CardPage, Notice } from '../../components/card-page.tsx'
import { PasswordField, usePasswordCheck } from '../../components/password-field.tsx'
import { ErrorPage, LoadingPage, useErrorTexts } from '../../components/state-pages.tsx'
import { UnencryptedLine, UnencryptedPage } from '../../components/unencrypted.tsx'
import { sessionQuery, useSignedIn } from '../../session.tsx'

/** `/password#<token>`: whoever has the link sets a new password and is signed in. */
export function PasswordPage() {
  const { t } = useTranslation()
  const [token] = useState(() => location.hash.slice(1))
  // The token must not stay in the address bar, where somebody could read it.
  useEffect(() => history.replaceState(history.state, '', location.pathname), [])
  const { data: session, error, refetch } = useQuery(sessionQuery)
  if (session === undefined) return error ? <ErrorPage error={error} reset={() => void refetch()} /> : <LoadingPage />
  if (session.transport === 'unencrypted_refused') return <UnencryptedPage />
  return (
    <CardPage title={t('password-link.title')} subtitle={location.host}>
      {token === '' ? <Notice tone="bad">{t('password-link.incomplete')}</Notice> : <PasswordForm token={token} />}
    </CardPage>
  )
}

function PasswordForm({ token }: { token: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const signedIn = useSignedIn()
  const form = useForm({ initialValues: { password: '' }, validate: { password: usePasswordCheck() } })
  const save = useMutation({
    mutationFn: ({ password }: { password: string }) => api.updatePasswordByLink({ token, new_password: password }),
    onSuccess: (person) => {
      signedIn(person)
      void navigate({ to: '/desk' })
    },
    onError: (error) => {
      const [invalid] = toApiError(error).errors
      if (invalid) form.setFieldError('password', invalid.message)
    },
  })
  const { text } = useErrorTexts(save.error)
  const code = save.error && toApiError(save.error).error
  if (code === 'password_link_invalid') return <Notice tone="bad">{t('password-link.invalid')}</Notice>
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap={18}>
        <UnencryptedLine />
        <Text c="dimmed">{t('password-link.text')}</Text>
        <PasswordField
          size="md"
          autoFocus
          label={t('password.new')}
          {...form.getInputProps('password')}
          value={form.values.password}
        />
        {save.error && !form.errors['password'] && <Notice tone="bad">{text}</Notice>}
        <Button type="submit" size="md" fz="md" loading={save.isPending} fullWidth>
          {t('password-link.submit')}
        </Button>
      </Stack>
    </form>
  )
}
