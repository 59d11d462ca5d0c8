import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Person } from '../../../client/voucher-api.generated.ts'
import { type ApiError, api, toApiError } from '../api.ts'
import { Notice } from './notice.tsx'
import { useVisibilityToggle } from './password-field.tsx'
import { useErrorTexts } from './state-pages.tsx'

type Props = {
  /** The person whose session has ended, if there was one. */
  email?: string
  onSignedIn: (person: Person) => void
  /** The service rejects the sign-in because the connection is not encrypted. */
  onUnencrypted?: () => void
}

/** E-mail, password and one button: on the sign-in page, and in the dialog over a page whose session ended. */
export function SignInForm({ email = '', onSignedIn, onUnencrypted }: Props) {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: { email, password: '' },
    validate: { email: isNotEmpty(t('sign-in.email-missing')), password: isNotEmpty(t('sign-in.password-missing')) },
  })
  const signIn = useMutation({
    mutationFn: (values: typeof form.values) => api.createSession(values),
    onSuccess: onSignedIn,
    onError: (error) => {
      const { error: code } = toApiError(error)
      if (code === 'sign_in_unencrypted') onUnencrypted?.()
      if (code !== 'sign_in_failed') return
      form.setFieldValue('password', '')
      form.getInputNode('password')?.focus()
    },
  })
  const waitSeconds = useCountdown(signIn.error ? toApiError(signIn.error) : undefined)
  return (
    <form noValidate onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
      <Stack gap={18}>
        <TextInput
          size="md"
          type="email"
          autoComplete="username"
          label={t('sign-in.email')}
          data-autofocus={email === '' || undefined}
          autoFocus={email === ''}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          size="md"
          autoComplete="current-password"
          label={t('sign-in.password')}
          visibilityToggleButtonProps={useVisibilityToggle()}
          data-autofocus={email !== '' || undefined}
          {...form.getInputProps('password')}
        />
        {signIn.error && <Failure error={signIn.error} waitSeconds={waitSeconds} />}
        <Button type="submit" size="md" fz="md" loading={signIn.isPending} disabled={waitSeconds > 0} fullWidth>
          {t('sign-in.submit')}
        </Button>
      </Stack>
    </form>
  )
}

function Failure({ error, waitSeconds }: { error: unknown; waitSeconds: number }) {
  const { t } = useTranslation()
  const { text } = useErrorTexts(error)
  const { error: code } = toApiError(error)
  if (code === 'sign_in_failed') return <Notice tone="bad">{t('sign-in.wrong')}</Notice>
  if (code !== 'sign_ins_too_many') return <Notice tone="bad">{text}</Notice>
  if (waitSeconds === 0) return null
  return (
    <Notice tone="warn">
      <span>
        {t('sign-in.too-many')} <span aria-live="off">{t('sign-in.again-in', { time: minutesOf(waitSeconds) })}</span>
      </span>
    </Notice>
  )
}

/** Seconds until the service accepts the next attempt. */
function useCountdown(error: ApiError | undefined): number {
  const [left, setLeft] = useState(0)
  const wait = error?.retry_after ?? 0
  useEffect(() => {
    if (wait <= 0) return setLeft(0)
    const end = Date.now() + wait * 1000
    const tick = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)))
    tick()
    const timer = setInterval(tick, 250)
    return () => clearInterval(timer)
  }, [error, wait])
  return left
}

/** `1:05`, or `42 s` below a minute. */
function minutesOf(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
