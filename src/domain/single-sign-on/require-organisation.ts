import { DomainError } from '../errors.ts'

export const entraHost = 'login.microsoftonline.com'
export const google = 'https://accounts.google.com'

/**
 * Rejects accounts of other tenants of Entra ID and of other domains of Google. Without `hostedDomain`, every domain of Google is
 * accepted, and the groups decide.
 */
export function requireOrganisation(
  { tid, hd }: Record<string, unknown>,
  { issuer, hostedDomain }: { issuer: string; hostedDomain: string | undefined },
): void {
  const { host, pathname } = new URL(issuer)
  const isOtherTenant = host === entraHost && tid !== pathname.split('/')[1]
  if (isOtherTenant || (hostedDomain !== undefined && hd !== hostedDomain))
    throw new DomainError('provider_organisation_wrong')
}
