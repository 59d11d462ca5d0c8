import { type Calendar, createCalendar, endOfDay } from '#lib/clock.ts'
import { actorReference, type Maker } from '../actor.ts'
import { DomainError, type ErrorCode } from '../errors.ts'
import type { IssuingLimits } from '../issuing-limits.ts'
import type { LimitedSite } from '../sites/sites.queries.ts'

/**
 * A counter of the vouchers that a person, a key or a site issues on a day. `until`: the end of the day, in ISO 8601. Without a limit,
 * the voucher is counted in any case. `times`: how often each of the counted counts here, if not once.
 */
export type IssuingCounter = { scope: string; day: string; until: string; limit?: number; times?: number }

/** The counters of a new voucher; null if neither its maker nor its site has a limit a day. */
export function issuingCountersFor(
  maker: Pick<Maker, 'kind' | 'id'> & { issuing?: IssuingLimits },
  site: LimitedSite,
  today: Calendar,
  now: Date,
): IssuingCounter[] | null {
  const counters: IssuingCounter[] = []
  const ofMaker = maker.issuing?.vouchersPerDay ?? null
  if (ofMaker !== null) counters.push({ scope: actorReference(maker), ...dayOf(today, now), limit: ofMaker })
  if (site.vouchersPerDay !== null) {
    const calendar = site.timeZone === null ? today : createCalendar(site.timeZone)
    counters.push({ scope: `site:${site.id}`, ...dayOf(calendar, now), limit: site.vouchersPerDay })
  }
  return counters.length > 0 ? counters : null
}

export function dayOf(calendar: Calendar, now: Date): Pick<IssuingCounter, 'day' | 'until'> {
  return { day: calendar(now), until: endOfDay(calendar, now).toISOString() }
}

/** A counter that is full, as the database reports it. */
export type FullCounter = { scope: string; limit: number; until: string; seconds: number }

type Kind = 'key' | 'person' | 'site'

export function kindOfScope(scope: string): Kind {
  const [kind] = scope.split(':', 1)
  return kind === 'staff' ? 'person' : (kind as Kind)
}

function codeOf(scope: string): ErrorCode {
  if (scope.startsWith('mail-to:')) return 'recipient_limit_reached'
  return scope.startsWith('mail-') ? 'messages_limit_reached' : `${kindOfScope(scope)}_limit_reached`
}

/** The error of a request that does not fit into these counters. It names the one that is full for the longest time. */
export function limitReached(full: FullCounter[]): DomainError {
  const [{ scope, limit, until, seconds }] = full.toSorted((a, b) => b.seconds - a.seconds) as [FullCounter]
  return new DomainError(codeOf(scope), {
    details: { limit, until: new Date(until).toISOString(), seconds },
  })
}
