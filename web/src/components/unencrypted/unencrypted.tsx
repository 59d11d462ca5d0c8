import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../new-version.tsx'
import { useSession } from '../../session.tsx'
import { Notice } from '../notice.tsx'

/** Few people ever see it, so the sign-in page does not load it at once. */
const LatePage = lazyPart(async () => (await import('./unencrypted-page.tsx')).UnencryptedPage)

export function UnencryptedPage() {
  return (
    <Suspense>
      <LatePage />
    </Suspense>
  )
}

/** An amber line above forms with a password, if the operator allowed sign-in without TLS. */
export function UnencryptedLine() {
  const { t } = useTranslation()
  if (useSession().transport !== 'unencrypted_allowed') return null
  return <Notice tone="warn">{t('sign-in.unencrypted-allowed')}</Notice>
}
