import { Stack, Text } from '@mantine/core'
import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toApiError } from '../../api.ts'
import { SignInFailure, useCountdown } from '../sign-in-failure.tsx'
import { CodeInput } from './code-input.tsx'

type Props<Answer> = {
  mutation: UseMutationOptions<Answer, Error, { code: string }>
  onSuccess: (answer: Answer) => unknown
  onError?: (error: Error) => unknown
  /** The sentence that says when to go on after too many codes. */
  goOn?: (time: string) => string
}

/** Asks for a code of the authenticator app, and sends it with its sixth digit. */
export function CodeStep<Answer>({ mutation, onSuccess, onError, goOn }: Props<Answer>) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const send = useMutation({
    ...mutation,
    onSuccess,
    onError: (error) => {
      setCode('')
      onError?.(error)
    },
  })
  const error = send.error ? toApiError(send.error) : undefined
  const waitSeconds = useCountdown(error)
  const isWrong = error?.error === 'second_factor_wrong'
  return (
    <Stack gap="sm">
      <Text>{t('second-factor.code-text')}</Text>
      <CodeInput
        hasFocus
        label={t('second-factor.code')}
        value={code}
        onChange={setCode}
        onComplete={(digits) => send.mutate({ code: digits })}
        isFixed={waitSeconds > 0}
        error={isWrong && code === '' ? error.message : undefined}
      />
      {error && !isWrong && <SignInFailure error={error} waitSeconds={waitSeconds} {...(goOn && { goOn })} />}
    </Stack>
  )
}
