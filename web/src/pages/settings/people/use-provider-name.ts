import type { StaffMember } from '../../../../../client/voucher-api.generated.ts'
import { useSession } from '../../../session.tsx'

/** The name of the provider at which the person signs in. A provider that is no longer configured has only its address. */
export function useProviderName({ identity }: Pick<StaffMember, 'identity'>): string {
  const { provider } = useSession()
  return provider?.name ?? identity?.issuer ?? ''
}
