import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Person, SecondStep } from '../../../../client/voucher-api.generated.ts'
import { toApiError } from '../../api.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { finishSignIn, finishWithPasskey } from '../../queries/second-factor.ts'
import { SignInFailure, useCountdown } from '../sign-in-failure.tsx'
import { CodeStep } from './code-step.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { PasskeyFailure } from './passkey-failure.tsx'

addTexts({ de, en })

type Props = {
  /** Who signs in. Empty after a reload: the page does not know it any more. */
  email: string
  methods: SecondStep['methods']
  onSignedIn: (person: Person) => unknown
  /** Back to the password; true if the ten minutes for the second step are over. */
  onBack: (isTooLate: boolean) => void
}

/** The second step of a sign-in: a code of the app, a passkey or a recovery code. */
export function SecondStepForm({ email, methods, onSignedIn, onBack }: Props) {
  const { t } = useTranslation()
  const [isRecovery, setIsRecovery] = useState(false)
  const step = {
    onSuccess: onSignedIn,
    onError: (error: Error) => toApiError(error).error === 'second_step_ended' && onBack(true),
    // After too many codes, the wait is usually longer than the ten minutes of the second step.
    goOn: (time: string) => t('second-factor.again-in', { time }),
  }
  const hasPasskey = methods.includes('passkey')
  const hasApp = methods.includes('app')
  return (
    <Stack gap={18}>
      {email !== '' && (
        <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('second-factor.who', { email })}
        </Text>
      )}
      {isRecovery ? <RecoveryCode {...step} /> : hasApp && <CodeStep mutation={finishSignIn} {...step} />}
      {!isRecovery && hasPasskey && <PasskeyButton {...step} isOnly={!hasApp} />}
      <Stack gap={6} align="flex-start">
        {methods.includes('recovery_code') && (
          <Anchor component="button" type="button" fz={13.5} onClick={() => setIsRecovery(!isRecovery)}>
            {t(
              isRecovery
                ? hasApp
                  ? 'second-factor.use-app'
                  : 'second-factor.other-factor'
                : 'second-factor.use-recovery',
            )}
          </Anchor>
        )}
        <Anchor component="button" type="button" fz={13.5} onClick={() => onBack(false)}>
          {t('second-factor.back')}
        </Anchor>
      </Stack>
      <Text fz={13.5} c="dimmed">
        {t('second-factor.lost')}
      </Text>
    </Stack>
  )
}

type StepProps = {
  onSuccess: (person: Person) => unknown
  onError: (error: Error) => unknown
  goOn: (time: string) => string
}

function RecoveryCode({ onSuccess, onError, goOn }: StepProps) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const send = useMutation({
    ...finishSignIn,
    onSuccess,
    onError: (error) => {
      field.current?.focus()
      onError(error)
    },
  })
  const error = send.error ? toApiError(send.error) : undefined
  const waitSeconds = useCountdown(error)
  const isWrong = error?.error === 'recovery_code_wrong'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (code.trim() !== '') send.mutate({ recovery_code: code.trim() })
  }
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap={18}>
        <TextInput
          ref={field}
          size="md"
          label={t('second-factor.recovery-code')}
          description={t('second-factor.recovery-text')}
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="none"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={code}
          error={(isWrong && error.message) || (isChecked && code.trim() === '' && t('second-factor.recovery-missing'))}
          onChange={(event) => {
            setCode(event.currentTarget.value)
            if (error) send.reset()
          }}
        />
        {error && !isWrong && <SignInFailure error={error} waitSeconds={waitSeconds} goOn={goOn} />}
        <Button type="submit" size="md" fz="md" loading={send.isPending} disabled={waitSeconds > 0} fullWidth>
          {t('second-factor.recovery-submit')}
        </Button>
      </Stack>
    </form>
  )
}

function PasskeyButton({ onSuccess, onError, isOnly }: Omit<StepProps, 'goOn'> & { isOnly: boolean }) {
  const { t } = useTranslation()
  const send = useMutation({ ...finishWithPasskey, onSuccess, onError })
  return (
    <Stack gap="sm">
      {isOnly && <Text>{t('second-factor.passkey-text')}</Text>}
      {send.error && <PasskeyFailure error={send.error} />}
      <Button
        variant={isOnly ? 'filled' : 'default'}
        size="md"
        fz="md"
        fullWidth
        data-autofocus={isOnly || undefined}
        autoFocus={isOnly}
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={send.isPending}
        onClick={() => send.mutate()}
      >
        {t('second-factor.use-passkey')}
      </Button>
    </Stack>
  )
}
