import { Anchor, Button, Stack, Text } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toApiError } from '../../api.ts'
import { CardPage } from '../../components/card-page.tsx'
import { Notice } from '../../components/notice.tsx'
import { PasswordField, usePasswordCheck } from '../../components/password-field.tsx'
import { useErrorTexts } from '../../components/state-pages.tsx'
import { UnencryptedLine, UnencryptedPage } from '../../components/unencrypted/unencrypted.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { setPasswordByLink, useSignedIn } from '../../queries/session.ts'
import { useSession } from '../../session.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

/** The service makes tokens of this shape. Anything else was cut off or changed on the way. */
const tokenShape = /^[0-9A-Za-z]{43}$/

/** `/password#<token>`: whoever has the link sets a new password and is signed in. */
export function PasswordPage() {
  const { t } = useTranslation()
  const [token] = useState(() => location.hash.slice(1))
  // The token must not stay in the address bar, where somebody could read it.
  useEffect(() => history.replaceState(history.state, '', location.pathname), [])
  const session = useSession()
  if (session.transport === 'unencrypted_refused') return <UnencryptedPage />
  return (
    <CardPage title={t('password-link.title')} subtitle={location.host}>
      {tokenShape.test(token) ? (
        <PasswordForm token={token} />
      ) : (
        <Notice tone="bad">{t('password-link.incomplete')}</Notice>
      )}
    </CardPage>
  )
}

function PasswordForm({ token }: { token: string }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const signedIn = useSignedIn()
  const { form, element, isSaving, error } = useSaveForm({
    initialValues: { new_password: '' },
    validate: { new_password: usePasswordCheck() },
    toFields: (values) => ({ ...values, token }),
    create: setPasswordByLink,
    onSaved: async (answer) => {
      if (answer?.kind !== 'staff') return location.assign('/sign-in') // the second factor is still missing
      await signedIn(answer)
      void navigate({ to: '/desk' })
    },
  })
  const { text } = useErrorTexts(error)
  if (error && toApiError(error).error === 'password_link_invalid') return <LinkOver />
  return (
    <form {...element}>
      <Stack gap={18}>
        <UnencryptedLine />
        <Text c="dimmed">{t('password-link.text')}</Text>
        <PasswordField
          size="md"
          autoFocus
          label={t('password.new')}
          {...form.getInputProps('new_password')}
          value={form.values.new_password}
        />
        {error && <Notice tone="bad">{text}</Notice>}
        <Button type="submit" size="md" fz="md" loading={isSaving} fullWidth>
          {t('password-link.submit')}
        </Button>
      </Stack>
    </form>
  )
}

/** The service does not say why a link is rejected, so this names all reasons. */
function LinkOver() {
  const { t } = useTranslation()
  const { link_mail: hasLinkMail, password_sign_in: hasPasswords } = useSession()
  return (
    <Stack gap={18}>
      <Notice tone="bad">
        <Text fz="inherit" c="inherit" fw={600}>
          {t('password-link.invalid')}
        </Text>
        {t('password-link.invalid-why')}
      </Notice>
      <Text c="dimmed">{t('password-link.invalid-next')}</Text>
      <Button component={Link} to="/sign-in" variant="default" size="md" fz="md" fullWidth>
        {t('sign-in.submit')}
      </Button>
      {hasLinkMail && hasPasswords && (
        <Anchor component={Link} to="/forgotten-password" fz={13.5}>
          {t('password-link.again')}
        </Anchor>
      )}
    </Stack>
  )
}
