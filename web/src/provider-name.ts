import type { Person } from '../../client/voucher-api.generated.ts'
import { usePerson, useSession } from './session.tsx'

/** The name of the provider of a person's account. If it is not configured any more, its address. */
export function useProviderName({ identity }: Pick<Person, 'identity'>): string {
  const { provider } = useSession()
  return provider?.name ?? identity?.issuer ?? ''
}

/** Whether the person who is signed in has no password, and so signs in only by the provider. */
export function useIsOnlyByProvider(): boolean {
  const { has_password: hasPassword, identity } = usePerson()
  return !hasPassword && identity !== null
}
