import { useTranslation } from 'react-i18next'
import { Redirect } from '../../components/redirect.tsx'
import { SessionGate } from '../../components/session-gate.tsx'
import { UnencryptedPage } from '../../components/unencrypted/unencrypted.tsx'
import { usePageTitle } from '../../house.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { useSession } from '../../session.tsx'
import { AdministratorSteps } from './administrator-steps.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { SetupSteps } from './setup-steps.tsx'

addTexts({ de, en })

/** From the setup token to the first voucher. The steps after the administrator need a session. */
export function FirstRunPage() {
  const { t } = useTranslation()
  const { setup_open, transport, person } = useSession()
  usePageTitle(t('first-run.title'))
  const steps = [
    t('first-run.token'),
    t('first-run.administrator'),
    t('setup.controller'),
    t('setup.sites'),
    t('setup.slip'),
    t('setup.voucher'),
  ]
  if (setup_open)
    return transport === 'unencrypted_refused' ? <UnencryptedPage /> : <AdministratorSteps steps={steps} />
  if (person && person.role !== 'admin') return <Redirect to="/desk" />
  return (
    <SessionGate>
      <SetupSteps steps={steps} />
    </SessionGate>
  )
}
