import { Button, Stack, Text, TextInput } from '@mantine/core'
import { isEmail } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toApiError } from '../../api.ts'
import { CardPage } from '../../components/card-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { SignInFailure, useCountdown } from '../../components/sign-in-failure.tsx'
import { UnencryptedLine, UnencryptedPage } from '../../components/unencrypted/unencrypted.tsx'
import { addTexts } from '../../i18n/i18n.ts'
import { askForPasswordLink } from '../../queries/session.ts'
import { useSession } from '../../session.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

/** Somebody who forgot the password asks for a link by e-mail. The page says the same for every address. */
export function ForgottenPage() {
  const { t } = useTranslation()
  const { transport, link_mail: hasLinkMail, password_sign_in: hasPasswords } = useSession()
  const ask = useMutation(askForPasswordLink)
  if (transport === 'unencrypted_refused') return <UnencryptedPage />
  const isSent = ask.isSuccess
  return (
    <CardPage title={t(isSent ? 'forgotten.sent-title' : 'forgotten.title')} subtitle={location.host}>
      <Stack gap={18}>
        <UnencryptedLine />
        {isSent ? (
          <Sent email={ask.variables.email} />
        ) : hasLinkMail && hasPasswords ? (
          <EmailForm ask={ask} />
        ) : (
          <Text>{t('forgotten.off')}</Text>
        )}
        <Button component={Link} to="/sign-in" variant="default" size="md" fz="md" fullWidth>
          {t('forgotten.back')}
        </Button>
      </Stack>
    </CardPage>
  )
}

type Ask = ReturnType<typeof useMutation<void, Error, { email: string }>>

function EmailForm({ ask }: { ask: Ask }) {
  const { t } = useTranslation()
  const [email, setEmail] = useState('')
  const [isChecked, setIsChecked] = useState(false) // the error appears with the first attempt
  const isRefused = ask.error !== null && toApiError(ask.error).status === 400
  const wrong = isEmail(t('person.email-wrong'))(email.trim())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (!wrong) ask.mutate({ email: email.trim() })
  }
  const waitSeconds = useCountdown(ask.error ? toApiError(ask.error) : undefined)
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap={18}>
        <Text c="dimmed">{t('forgotten.text')}</Text>
        <TextInput
          size="md"
          type="email"
          autoComplete="username"
          label={t('sign-in.email')}
          autoFocus
          value={email}
          error={isRefused ? t('person.email-wrong') : isChecked && wrong}
          onChange={(event) => {
            if (isRefused) ask.reset()
            setEmail(event.currentTarget.value)
          }}
        />
        {ask.error && !isRefused && <SignInFailure error={ask.error} waitSeconds={waitSeconds} />}
        <Button type="submit" size="md" fz="md" loading={ask.isPending} disabled={waitSeconds > 0} fullWidth>
          {t('forgotten.submit')}
        </Button>
      </Stack>
    </form>
  )
}

function Sent({ email }: { email: string }) {
  const { t } = useTranslation()
  return (
    <>
      <Notice tone="ok">{t('forgotten.sent', { email })}</Notice>
      <Text c="dimmed">{t('forgotten.sent-none')}</Text>
    </>
  )
}
