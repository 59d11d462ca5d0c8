import { useTranslation } from 'react-i18next'
import { addTexts } from '../../i18n/i18n.ts'
import { useSession } from '../../session.tsx'
import { Notice } from '../notice.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

/** Says why the sign-in by the provider failed, and what helps. */
export function SignInProblem({ problem }: { problem: string }) {
  return <Notice tone={problem === 'provider_sign_in_cancelled' ? 'warn' : 'bad'}>{useProblemText(problem)}</Notice>
}

/** The sentence for a code in the address. Codes of a newer service have a general sentence. */
function useProblemText(problem: string): string {
  const { t } = useTranslation()
  const { provider, password_sign_in: hasPasswords } = useSession()
  const values = { provider: provider?.name ?? t('provider.provider') }
  if (problem === 'provider_unreachable' && !hasPasswords) return t('provider.provider_unreachable_alone', values)
  return t(`provider.${problem as 'provider_unreachable'}`, { ...values, defaultValue: t('provider.failed', values) })
}
