import type { Actor } from '../actor.ts'
import { allowsMore, noIssuingLimits } from '../issuing-limits.ts'

/** Whether an actor may raise or remove the limits on issuing of a site: no manager, and no key that has limits of its own. */
export function mayRaiseLimits(actor: Actor): boolean {
  if (actor.kind === 'staff') return actor.role === 'admin'
  if (actor.kind === 'key') return !allowsMore(noIssuingLimits, actor.issuing ?? noIssuingLimits)
  return true
}
