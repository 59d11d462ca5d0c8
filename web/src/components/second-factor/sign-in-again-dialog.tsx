import { Box, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconExternalLink, IconFingerprint } from '@tabler/icons-react'
import { useIsMutating, useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toApiError } from '../../api.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { onOtherTab } from '../../other-tabs.ts'
import { signInAgain, signInAgainQuery, signInAgainWithPasskey } from '../../queries/second-factor.ts'
import { usePerson } from '../../session.tsx'
import { Dialog } from '../dialog.tsx'
import { SecretInput } from '../password-field.tsx'
import { SignInProblem } from '../provider/sign-in-problem.tsx'
import { SignInFailure, useCountdown } from '../sign-in-failure.tsx'
import { closingPath, providerStart } from '../sign-in-methods.tsx'
import { ErrorMessage } from '../state-pages.tsx'
import { CodeStep } from './code-step.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { PasskeyFailure } from './passkey-failure.tsx'

addTexts({ de, en })

type Props = { onConfirmed: () => void; onCancel: () => void }

/** Esc closes only this dialog, not the one below it, from which the change was sent. */
const onlyHere = { 'data-mantine-stop-propagation': true }

const formId = 'sign-in-again'

/** The dialog before a change that needs a new sign-in. The page and an open dialog stay as they are below it. */
export function SignInAgainDialog({ onConfirmed, onCancel }: Props) {
  const { t } = useTranslation()
  const { data, error, refetch } = useQuery(signInAgainQuery)
  const isChecking = useIsMutating({ mutationKey: signInAgain.mutationKey }) > 0
  const cancelByKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onCancel()
  }
  const methods = data?.methods ?? []
  return (
    <Dialog onClose={onCancel} title={t('second-factor.again-title')} size={400} isSticky>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Esc works in every field of the dialog */}
      <div onKeyDown={cancelByKey}>
        <Stack gap="md">
          <Text c="dimmed">{t('second-factor.again-text')}</Text>
          {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
          {!data && !error && <Skeleton h={62} />}
          {methods.includes('code') && <CodeStep mutation={signInAgain} onSuccess={onConfirmed} />}
          {methods.includes('password') && <PasswordAgain onConfirmed={onConfirmed} />}
          {methods.includes('passkey') && <PasskeyAgain isOnly={methods.length === 1} onConfirmed={onConfirmed} />}
          {methods.includes('provider') && <ProviderAgain isOnly={methods.length === 1} onConfirmed={onConfirmed} />}
          {methods.includes('code') && !methods.includes('provider') && (
            <Text fz={13.5} c="dimmed">
              {t('second-factor.again-lost')}
            </Text>
          )}
          <Group justify="flex-end" className="dialog-actions">
            <Button variant="default" onClick={onCancel} {...onlyHere}>
              {t('actions.cancel')}
            </Button>
            {methods.includes('password') && (
              <Button type="submit" form={formId} loading={isChecking} {...onlyHere}>
                {t('second-factor.again-submit')}
              </Button>
            )}
          </Group>
        </Stack>
      </div>
    </Dialog>
  )
}

type MethodProps = { onConfirmed: () => void }

function PasswordAgain({ onConfirmed }: MethodProps) {
  const { t } = useTranslation()
  const { email } = usePerson()
  const [password, setPassword] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const send = useMutation({
    ...signInAgain,
    onSuccess: onConfirmed,
    onError: () => {
      setPassword('')
      setIsChecked(false)
      field.current?.focus()
    },
  })
  const error = send.error ? toApiError(send.error) : undefined
  const waitSeconds = useCountdown(error)
  const isWrong = error?.error === 'password_wrong'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (password !== '' && !send.isPending && waitSeconds === 0) send.mutate({ password })
  }
  return (
    <form noValidate id={formId} onSubmit={submit}>
      <Stack gap="sm">
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <SecretInput
          ref={field}
          data-autofocus
          autoFocus
          autoComplete="current-password"
          label={t('second-factor.again-password')}
          visibilityToggleButtonProps={onlyHere}
          value={password}
          readOnly={send.isPending} // a wrong password is removed when the service answers
          errorProps={{ role: 'alert' }}
          error={
            password === '' &&
            ((isChecked && t('sign-in.password-missing')) || (isWrong && t('second-factor.again-wrong')))
          }
          onChange={(event) => setPassword(event.currentTarget.value)}
          {...onlyHere}
        />
        {error && !isWrong && <SignInFailure error={error} waitSeconds={waitSeconds} />}
      </Stack>
    </form>
  )
}

function PasskeyAgain({ isOnly, onConfirmed }: MethodProps & { isOnly: boolean }) {
  const { t } = useTranslation()
  const send = useMutation({ ...signInAgainWithPasskey, onSuccess: onConfirmed })
  return (
    <>
      {send.error && <PasskeyFailure error={send.error} />}
      <Button
        variant={isOnly ? 'filled' : 'default'}
        data-autofocus={isOnly || undefined}
        autoFocus={isOnly}
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={send.isPending}
        onClick={() => send.mutate()}
        {...onlyHere}
      >
        {t('second-factor.use-passkey')}
      </Button>
    </>
  )
}

/** The provider's page opens in a window of its own, which tells this one how the sign-in ended, and closes. */
function ProviderAgain({ isOnly, onConfirmed }: MethodProps & { isOnly: boolean }) {
  const { t } = useTranslation()
  const [problem, setProblem] = useState<string>()
  useEffect(
    () =>
      onOtherTab((news) => {
        if (news === 'changed') onConfirmed()
        else if (news !== 'signed-out') setProblem(news.problem)
      }),
    [onConfirmed],
  )
  const start = () => {
    setProblem(undefined)
    window.open(providerStart('again', closingPath), '_blank', 'width=520,height=700')
  }
  return (
    <div>
      {problem !== undefined && (
        <Box mb="md">
          <SignInProblem problem={problem} />
        </Box>
      )}
      <Button
        variant={isOnly ? 'filled' : 'default'}
        fullWidth
        data-autofocus={isOnly || undefined}
        autoFocus={isOnly}
        rightSection={<IconExternalLink size={16} aria-hidden />}
        onClick={start}
        {...onlyHere}
      >
        {t(problem === undefined ? 'second-factor.provider' : 'actions.try-again')}
      </Button>
      <Text fz="xs" c="dimmed" mt={6}>
        {t('second-factor.provider-text')}
      </Text>
    </div>
  )
}
