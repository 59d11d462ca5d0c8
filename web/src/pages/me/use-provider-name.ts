import { usePerson, useSession } from '../../session.tsx'

/** The name of the provider of the person's account. If it is not configured any more, its address. */
export function useProviderName(): string {
  const { provider } = useSession()
  const { identity } = usePerson()
  return provider?.name ?? identity?.issuer ?? ''
}

/** Whether the person has no password, and so signs in only by the provider. */
export function useIsOnlyByProvider(): boolean {
  const { has_password: hasPassword, identity } = usePerson()
  return !hasPassword && identity !== null
}
