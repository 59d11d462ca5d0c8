import { Anchor } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { addTexts } from '../../i18n/i18n.ts'
import { useSession } from '../../session.tsx'
import { Notice } from '../notice.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

addTexts({ de, en })

/** Nobody did anything wrong. */
const mild = ['provider_sign_in_cancelled', 'signed_out_idle']
/** The person may have another account at the provider with which the sign-in works. */
const ofAccount = [
  'provider_organisation_wrong',
  'provider_groups_missing',
  'provider_groups_too_many',
  'provider_email_missing',
  'provider_email_taken',
  'provider_person_inactive',
  'identity_taken',
]

/**
 * Says why the sign-in by the provider failed, or why the session ended, and what helps. `start` is the address that leads to the
 * provider again, for a person who has another account there.
 */
export function SignInProblem({ problem, start }: { problem: string; start?: string }) {
  const { t } = useTranslation()
  return (
    <Notice tone={mild.includes(problem) ? 'warn' : 'bad'}>
      {useProblemText(problem)}
      {start !== undefined && ofAccount.includes(problem) && (
        <Anchor href={`${start}&account=other`} display="block" w="fit-content" mt={6} inherit>
          {t('provider.other-account')}
        </Anchor>
      )}
    </Notice>
  )
}

/** The sentence for a code in the address. Some have another one without passwords. Codes of a newer service have a general one. */
function useProblemText(problem: string): string {
  const { t } = useTranslation()
  const { provider, password_sign_in: hasPasswords } = useSession()
  const values = { provider: provider?.name ?? t('provider.provider') }
  const textOf = (code: string, defaultValue: string) =>
    t(`provider.${code as 'provider_unreachable'}`, { ...values, defaultValue })
  const text = textOf(problem, t('provider.failed', values))
  return hasPasswords ? text : textOf(`${problem}_alone`, text)
}
