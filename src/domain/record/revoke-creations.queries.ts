import type { Queryable } from '#db/database.ts'
import type { SiteItem } from '../public-id.ts'
import { bindFilter, type RevocationFilter } from './revocation-filter.ts'

/**
 * Marks matching creations that are not settled or may still get a late voucher. A voucher that is recorded for them later is
 * withdrawn. Returns the creations that are not settled. While another process records a creation, this statement waits. The
 * revocation lists vouchers afterwards, so it finds that voucher. A creation of a batch that is rejected during the wait is marked
 * too, so that its row is not sent again.
 */
export async function updateCreationsRevoked(
  tx: Queryable,
  sites: number[] | 'all',
  filter: RevocationFilter,
): Promise<SiteItem[]> {
  if (filter.codePrefix !== undefined) return [] // a creation without a voucher has no code
  const { values, where } = bindFilter(sites, { ...filter, createdAfter: undefined }) // their vouchers are recorded later
  const { rows } = await tx.query<SiteItem & { isUnsettled: boolean }>(
    `with fitting as (
       select site_id, id from (select *, sent_at as created_at, 0 as used_count from creations) as known
        where (settled_at is null or state = 'absent') and ${where}
     ), locked as (
       select c.site_id, c.id from creations c join fitting using (site_id, id)
        where c.settled_at is null or c.state = 'absent' or (c.state = 'rejected' and c.batch_id is not null)
        order by c.site_id, c.id for update of c
     )
     update creations c
        set revoked_at = coalesce(revoked_at, now()), revoked_only_unused = ${onlyUnusedNowSql(filter)}
       from locked
      where c.site_id = locked.site_id and c.id = locked.id
     returning c.site_id as "siteId", c.id, c.settled_at is null as "isUnsettled"`,
    values,
  )
  return rows.filter(({ isUnsettled }) => isUnsettled).map(({ siteId, id }) => ({ siteId, id }))
}

/**
 * Marks those of these creations that were rejected, so that their rows are not sent again. The caller must have locked the batches
 * of the rows. All other code that locks a rejected creation has that lock too, so no deadlock is possible.
 */
export async function updateRejectedCreationsRevoked(
  tx: Queryable,
  creations: SiteItem[],
  filter: RevocationFilter,
): Promise<void> {
  await tx.query(
    `update creations c set revoked_at = now(), revoked_only_unused = ${onlyUnusedNowSql(filter)}
       from unnest($1::integer[], $2::uuid[]) as sent (site_id, id)
      where c.site_id = sent.site_id and c.id = sent.id and c.state = 'rejected' and c.revoked_at is null`,
    [creations.map(({ siteId }) => siteId), creations.map(({ id }) => id)],
  )
}

/** SQL for `revoked_only_unused`. A creation that was revoked without this condition once stays revoked without it. */
function onlyUnusedNowSql({ unused = false }: RevocationFilter): string {
  return unused ? '(revoked_at is null or revoked_only_unused)' : 'false'
}
