import type { Static } from 'typebox'
import type { Queryable } from '#db/database.ts'
import type { KeyAtWork } from '#domain/keys/keys.queries.ts'
import { chooseByFilter } from '#domain/withdrawals/choose-vouchers.ts'
import { listExistingVouchers } from '#domain/withdrawals/revocable-vouchers.queries.ts'
import type { VoucherPlace } from '#domain/withdrawals/revocation.ts'
import { allowedSites } from './allowed-sites.ts'
import { filterFromWire, sitesFromWire } from './filter-from-wire.ts'
import { Refused } from './problems.ts'
import { readPublicId } from './public-id.ts'
import type { revocationBody } from './revocations.schemas.ts'

/**
 * Which vouchers a request means. `meant` is the same for the same wish, however it is written; `searches` tells whether
 * they must be searched for.
 */
export type Choice = { meant: object; searches: boolean; choose(tx: Queryable): Promise<VoucherPlace[]> }

export function choiceOf(key: KeyAtWork, body: Static<typeof revocationBody>): Choice {
  const { voucher_ids: ids, filter } = body
  if (ids !== undefined && filter !== undefined) throw new Refused('parameter_invalid', 'filter')
  if (ids !== undefined) return choiceByIds(key, ids)
  if (filter !== undefined) return choiceByFilter(key, filter)
  throw new Refused('parameter_invalid', 'voucher_ids')
}

/** All of them or none: one that is not there is as good as a slip in the request. */
export function choiceByIds(key: KeyAtWork, ids: string[]): Choice {
  const wanted = [...new Set(ids)].toSorted()
  return {
    meant: { ids: wanted },
    searches: false,
    async choose(tx) {
      const places = wanted.flatMap((id) => readPublicId(id) ?? [])
      if (places.length < wanted.length) throw new Refused('not_found')
      const siteIds = places.map(({ siteId }) => siteId)
      await allowedSites(tx, key, siteIds)
      const found = await listExistingVouchers(tx, places)
      if (found.length < wanted.length) throw new Refused('not_found')
      return found
    },
  }
}

function choiceByFilter(key: KeyAtWork, wire: NonNullable<Static<typeof revocationBody>['filter']>): Choice {
  const { site_id: _, ...wanted } = wire
  const named = sitesFromWire(wire)
  if (Object.keys(wanted).length === 0) throw new Refused('parameter_invalid', 'filter')
  const filter = filterFromWire(wanted)
  return {
    searches: filter.reference === undefined && filter.batchId === undefined, // only these two have an index on vouchers
    meant: { filter, sites: named && [...new Set(named)].toSorted((a, b) => a - b) },
    choose: async (tx) => chooseByFilter(tx, await allowedSites(tx, key, named), { now: key.now, ...filter }),
  }
}
