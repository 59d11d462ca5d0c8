import { Button, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ChangeEvent, type FormEvent, type ReactNode, Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Person, SecondStep } from '../../../client/voucher-api.generated.ts'
import { toApiError } from '../api.ts'
import { lazyPart } from '../new-version.tsx'
import { signIn as signInMutation } from '../queries/session.ts'
import { useSession } from '../session.tsx'
import { Notice } from './notice.tsx'
import { SecretInput } from './password-field.tsx'
import { SignInFailure, useCountdown } from './sign-in-failure.tsx'

/** Few people need it, so the sign-in page does not load it at once. */
const SecondStepForm = lazyPart(async () => (await import('./second-factor/second-step.tsx')).SecondStepForm)

type Methods = SecondStep['methods']

type Props = {
  /** The person whose session has ended, if there was one. */
  email?: string | undefined
  onSignedIn: (person: Person) => unknown
  /** The service rejects the sign-in because the connection is not encrypted. */
  onUnencrypted?: () => void
  /** Another way to sign in, which is the main one. It stands above the e-mail address. */
  above?: ReactNode
  /** Stands below the password. */
  children?: ReactNode
}

/**
 * E-mail and password, and for people with a second factor a second step: on the sign-in page, and in the dialog over a page whose
 * session ended.
 */
export function SignInForm({ email: known = '', ...props }: Props) {
  const { step, second_factors: factors } = useSession()
  const [methods, setMethods] = useState(step === 'second_factor' ? factors : undefined) // after a reload too
  const [email, setEmail] = useState(known)
  const [isTooLate, setIsTooLate] = useState(false)
  const start = (methods: Methods, email: string) => {
    setMethods(methods)
    setEmail(email)
  }
  if (!methods) return <PasswordStep {...props} email={email} isTooLate={isTooLate} onSecondStep={start} />
  const back = (wasTooLate: boolean) => {
    setMethods(undefined)
    setIsTooLate(wasTooLate)
    if (!wasTooLate) setEmail(known)
  }
  return (
    <Suspense fallback={<div style={{ height: 240 }} />}>
      <SecondStepForm email={email} methods={methods} onSignedIn={props.onSignedIn} onBack={back} />
    </Suspense>
  )
}

type PasswordProps = Props & {
  email: string
  isTooLate: boolean
  onSecondStep: (methods: Methods, email: string) => void
}

function PasswordStep({ email, onSignedIn, onUnencrypted, isTooLate, onSecondStep, above, children }: PasswordProps) {
  const { t } = useTranslation()
  const [values, setValues] = useState({ email, password: '' })
  const [isChecked, setIsChecked] = useState(false) // errors appear with the first attempt
  const passwordField = useRef<HTMLInputElement>(null)
  const change = (field: keyof typeof values) => (event: ChangeEvent<HTMLInputElement>) => {
    const { value } = event.currentTarget
    setValues((old) => ({ ...old, [field]: value }))
  }
  const signIn = useMutation({
    ...signInMutation,
    onSuccess: (answer) => (answer.kind === 'staff' ? onSignedIn(answer) : onSecondStep(answer.methods, values.email)),
    onError: (error) => {
      const { error: code } = toApiError(error)
      if (code === 'sign_in_unencrypted') onUnencrypted?.()
      if (code !== 'sign_in_failed') return
      setValues((old) => ({ ...old, password: '' }))
      setIsChecked(false)
      passwordField.current?.focus()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (values.email !== '' && values.password !== '') signIn.mutate(values)
  }
  const waitSeconds = useCountdown(signIn.error ? toApiError(signIn.error) : undefined)
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap={18}>
        {above}
        <TextInput
          size="md"
          type="email"
          autoComplete="username"
          label={t('sign-in.email')}
          data-autofocus={email === '' || undefined}
          autoFocus={email === ''}
          value={values.email}
          error={isChecked && values.email === '' && t('sign-in.email-missing')}
          onChange={change('email')}
        />
        <SecretInput
          size="md"
          autoComplete="current-password"
          label={t('sign-in.password')}
          data-autofocus={email !== '' || undefined}
          autoFocus={email !== '' && !above}
          ref={passwordField}
          value={values.password}
          error={isChecked && values.password === '' && t('sign-in.password-missing')}
          onChange={change('password')}
        />
        {isTooLate && signIn.isIdle && <Notice tone="warn">{t('second-factor.too-late')}</Notice>}
        {signIn.error && <SignInFailure error={signIn.error} waitSeconds={waitSeconds} />}
        <Button
          type="submit"
          variant={above ? 'default' : 'filled'}
          size="md"
          fz="md"
          loading={signIn.isPending}
          disabled={waitSeconds > 0}
          fullWidth
        >
          {t('sign-in.submit')}
        </Button>
        {children}
      </Stack>
    </form>
  )
}
