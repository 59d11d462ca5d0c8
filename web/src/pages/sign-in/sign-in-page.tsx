import { Anchor, Stack, Text } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CardPage } from '../../components/card-page.tsx'
import { Redirect } from '../../components/redirect.tsx'
import { closingPath, providerStart, SignInMethods } from '../../components/sign-in-methods.tsx'
import { LoadingPage } from '../../components/state-pages.tsx'
import { UnencryptedLine, UnencryptedPage } from '../../components/unencrypted/unencrypted.tsx'
import { lazyPart } from '../../new-version.tsx'
import { useOtherTabs, useSignedIn } from '../../queries/session.ts'
import { useSession } from '../../session.tsx'
import { hasSignedOut } from '../../signed-out.ts'

const SignInProblem = lazyPart(
  async () => (await import('../../components/provider/sign-in-problem.tsx')).SignInProblem,
)
const ClosingWindow = lazyPart(async () => (await import('../../components/provider/closing-window.tsx')).ClosingWindow)

const stay = () => {}

/** The card to sign in. When somebody signs in in another tab, it gives way to the app. A window of its own closes after the sign-in. */
export function SignInPage() {
  const { t } = useTranslation()
  const session = useSession()
  const { next: wanted, problem, closes } = useSearch({ from: '/sign-in' })
  const next = closes ? closingPath : (wanted ?? '/desk')
  const start = providerStart('sign-in', next)
  const [isRefused, setIsRefused] = useState(false)
  const signedIn = useSignedIn()
  useOtherTabs(stay)

  if (session.setup_open) return <Redirect to="/first-run" />
  if (session.person && !closes) return <Redirect to={next} />
  if (isRefused || session.transport === 'unencrypted_refused') return <UnencryptedPage />
  // After a sign-out nobody wanted another page. Going on would sign the person in again.
  const goesOn = session.provider?.starts_at_once && wanted && !problem && !session.person && !hasSignedOut()
  if (goesOn) return <ToProvider href={start} />
  return (
    <Suspense fallback={<LoadingPage />}>
      {session.person ? (
        <ClosingWindow problem={problem} />
      ) : (
        <CardPage title={t('sign-in.title')} subtitle={location.host}>
          <Stack gap={18}>
            <UnencryptedLine />
            {problem && <SignInProblem problem={problem} start={start} />}
            <SignInMethods next={next} onUnencrypted={() => setIsRefused(true)} onSignedIn={signedIn}>
              {session.link_mail ? (
                <Anchor component={Link} to="/forgotten-password" fz={13.5}>
                  {t('sign-in.forgotten')}
                </Anchor>
              ) : (
                <Text fz={13.5} c="dimmed">
                  {t('sign-in.forgotten')} {t('sign-in.forgotten-ask')}
                </Text>
              )}
            </SignInMethods>
          </Stack>
        </CardPage>
      )}
    </Suspense>
  )
}

/** Leaves the app for the provider. *Back* does not return to this page, which would leave again. */
function ToProvider({ href }: { href: string }) {
  useEffect(() => location.replace(href), [href])
  return <LoadingPage />
}
