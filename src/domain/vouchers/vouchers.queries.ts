import { isoOf, type Queryable } from '#db/database.ts'
import { makerSql } from '../keys/keys.queries.ts'
import type { SiteItem } from '../public-id.ts'
import type { ListedVoucher, RecordedVoucher, VoucherStatus } from '../record/voucher.ts'
import { isOfMakers, pageConditions, type VoucherFilter } from '../record/voucher-filter.ts'

/** The newest vouchers of a site with their recorded status (see `statusAt`). */
export async function listNewestVouchers(db: Queryable, siteId: number, limit: number): Promise<ListedVoucher[]> {
  const { rows } = await db.query<{ fields: string | null }>(newestVouchers, [siteId, limit])
  const fields = rows[0]?.fields?.split('\x1f') ?? []
  if (fields.length % 8 !== 0) throw new Error('A listed voucher must have eight fields')
  return Array.from({ length: fields.length / 8 }, (_, i) => toListed(fields, 8 * i))
}

/**
 * Returns all fields as one text, separated by U+001F, because reading 200 rows of eight columns takes five times as much
 * processor time. U+001F is removed from codes and names, so that a name cannot imitate the fields of another voucher.
 */
const newestVouchers = {
  name: 'newest vouchers',
  text: `select string_agg(concat_ws(e'\\x1f', replace(code, e'\\x1f', ''), replace(controller_name, e'\\x1f', ''), max_uses,
                  expire_minutes, status, used_count, created_at at time zone 'UTC',
                  coalesce((expires_at at time zone 'UTC')::text, '')), e'\\x1f') as fields
           from (select code, controller_name, max_uses, expire_minutes, status, used_count, created_at, expires_at
                   from vouchers
                  where site_id = $1
                  order by created_at desc, id desc
                  limit $2) newest`,
}

function toListed(fields: string[], at: number): ListedVoucher {
  const field = (i: number) => fields[at + i] as string
  return {
    code: field(0),
    name: field(1),
    maxUses: field(2),
    expireMinutes: field(3),
    status: field(4) as VoucherStatus,
    usedCount: field(5),
    createdAt: isoOf(field(6)),
    expiresAt: field(7) === '' ? null : isoOf(field(7)),
  }
}

/** SQL for the columns of a `RecordedVoucher`. */
export const voucherColumnsSql = `site_id as "siteId", id, code, name, controller_name as "controllerName", reference, status,
  max_uses as "maxUses", used_count as "usedCount", expire_minutes as "expireMinutes", minutes_cut as "minutesCut",
  qos_down_kbps as "downKbps", qos_up_kbps as "upKbps", qos_quota_mb as "quotaMb", created_at as "createdAt",
  first_used_at as "firstUsedAt", expires_at as "expiresAt", valid_until as "validUntil", unused_until as "unusedUntil",
  revoked_at as "revokedAt", synced_at as "syncedAt", batch_id as "batchId",
  ${makerSql('vouchers')} as maker`

/** The newest vouchers of a site, without a filter. */
export async function listNewestRecorded(db: Queryable, siteId: number, limit: number): Promise<RecordedVoucher[]> {
  const { rows } = await db.query<RecordedVoucher>(newestRecorded, [siteId, limit])
  return rows
}

const newestRecorded = {
  name: 'newest recorded vouchers',
  text: `select ${voucherColumnsSql} from vouchers where site_id = $1 order by created_at desc, id desc limit $2`,
}

/** A page of vouchers, newest first. For several sites or several makers, reads a page of each and merges them. */
export async function listVoucherPage(
  db: Queryable,
  sites: number[] | 'all',
  filter: VoucherFilter,
  limit: number,
): Promise<RecordedVoucher[]> {
  const values: unknown[] = [limit]
  const bind = (value: unknown) => `$${values.push(value)}`
  const branches = pageConditions(filter, bind)
  const newestWhere = (ofSites: string) =>
    newestSql(
      branches.map((conditions) => {
        const where = [ofSites, ...conditions].join(' and ')
        return `select ${voucherColumnsSql} from vouchers where ${where} order by created_at desc, id desc limit $1`
      }),
    )
  const { rows } = await db.query<RecordedVoucher>(textFor(sites, filter, newestWhere, bind), values)
  return rows
}

function textFor(
  sites: number[] | 'all',
  { source }: VoucherFilter,
  newestWhere: (ofSites: string) => string,
  bind: (value: unknown) => string,
): string {
  if (isOfMakers(source)) {
    const { each, ofEach } = eachMakerSql(sites, source, bind)
    return mergeSql([`select page.* from ${each} cross join lateral (${newestWhere(ofEach)}) as page`])
  }
  if (sites === 'all') return newestWhere(`code <> ''`) // so that PostgreSQL can use the index vouchers_newest
  if (sites.length === 1) return newestWhere(`site_id = ${bind(sites[0])}`)
  const each = `unnest(${bind(sites)}::integer[]) as wanted (site)`
  return mergeSql([`select page.* from ${each} cross join lateral (${newestWhere('site_id = wanted.site')}) as page`])
}

/**
 * SQL for the keys or the people who made vouchers of these sites, and the condition for the vouchers of each. It reads one
 * entry of the index vouchers_by_maker for each maker: the first one after those of the maker before. A single site is a
 * parameter, so that PostgreSQL plans for its partition only.
 */
function eachMakerSql(sites: number[] | 'all', source: 'key' | 'staff', bind: (value: unknown) => string) {
  const isOneSite = sites !== 'all' && sites.length === 1
  const site = isOneSite ? bind(sites[0]) : 'wanted.site'
  const eachSite = sites === 'all' ? '(select id from sites)' : isOneSite ? '' : `unnest(${bind(sites)}::integer[])`
  const makerId = 'coalesce(api_key_id, staff_id)'
  const firstMakerWhere = (condition: string) =>
    `select ${makerId} as id, api_key_id is null as is_person from vouchers
      where site_id = ${site} and ${makerId} ${condition} order by ${makerId} limit 1`
  const makers = `(
    with recursive makers as (
      (${firstMakerWhere('is not null')})
      union all
      select later.* from makers cross join lateral (${firstMakerWhere('> makers.id')}) as later
    )
    select id from makers where ${source === 'staff' ? 'is_person' : 'not is_person'}
  ) as maker`
  return {
    each: isOneSite ? makers : `${eachSite} as wanted (site) cross join lateral ${makers}`,
    ofEach: `site_id = ${site} and ${makerId} = maker.id`,
  }
}

/**
 * The ids of all vouchers that match, newest first. If more than `limit` match, returns any `limit` of them, so that PostgreSQL
 * can stop reading there.
 */
export async function listVoucherIds(
  db: Queryable,
  sites: number[] | 'all',
  filter: VoucherFilter,
  limit: number,
): Promise<SiteItem[]> {
  const values: unknown[] = [limit]
  const bind = (value: unknown) => `$${values.push(value)}`
  const { source } = filter
  const makers = isOfMakers(source) ? eachMakerSql(sites, source, bind) : undefined
  const ofSites = makers ? [makers.ofEach] : sites === 'all' ? [] : [`site_id = any (${bind(sites)}::integer[])`]
  const matching = pageConditions(filter, bind).map((conditions) => {
    const where = [...ofSites, ...conditions].join(' and ')
    const ids = `select site_id, id, created_at from vouchers ${where && `where ${where}`}`
    return makers ? `select found.* from ${makers.each} cross join lateral (${ids}) as found` : ids
  })
  const { rows } = await db.query<SiteItem>(
    `select site_id as "siteId", id from (${matching.join(' union all ')} limit $1) as found
      order by created_at desc, id desc`,
    values,
  )
  return rows
}

/** The vouchers with these ids, in this order. Leaves out those that do not exist any more. */
export async function listVouchersByIds(db: Queryable, items: SiteItem[]): Promise<RecordedVoucher[]> {
  const values = [items.map(({ siteId }) => siteId), items.map(({ id }) => id)]
  const { rows } = await db.query<RecordedVoucher>(vouchersByIds, values)
  return rows
}

/**
 * The limit makes PostgreSQL look up each voucher by its primary key, whatever its statistics say. The statement has a name,
 * because planning it for all partitions takes longer than running it.
 */
const vouchersByIds = {
  name: 'vouchers by ids',
  text: `select voucher.*
           from unnest($1::integer[], $2::uuid[]) with ordinality as wanted (site, voucher_id, place)
          cross join lateral (
            select ${voucherColumnsSql} from vouchers where site_id = wanted.site and id = wanted.voucher_id limit 1
          ) as voucher
          order by place`,
}

function newestSql(lists: string[]): string {
  return lists.length === 1 ? (lists[0] as string) : mergeSql(lists)
}

function mergeSql(lists: string[]): string {
  const all = lists.map((list) => `(${list})`).join(' union all ')
  return `select * from (${all}) as merged order by "createdAt" desc, id desc limit $1`
}

export async function findRecordedVoucher(
  db: Queryable,
  siteId: number,
  id: string,
): Promise<RecordedVoucher | undefined> {
  const { rows } = await db.query<RecordedVoucher>(
    `select ${voucherColumnsSql} from vouchers where site_id = $1 and id = $2`,
    [siteId, id],
  )
  return rows[0]
}

/**
 * The vouchers with this code. A controller may reuse a code after its voucher is gone, and two controllers may give the same
 * code. Vouchers that are still valid come first, then the newest.
 */
export async function listVouchersByCode(
  db: Queryable,
  sites: number[] | 'all',
  { code, now, limit }: { code: string; now: Date; limit: number },
): Promise<RecordedVoucher[]> {
  const { rows } = await db.query<RecordedVoucher>(
    `select ${voucherColumnsSql} from vouchers
      where code = $1 and ($2::integer[] is null or site_id = any ($2))
      order by status = 'valid' and (expires_at is null or expires_at > $3) desc, created_at desc, id desc
      limit $4`,
    [code, sites === 'all' ? null : sites, now, limit],
  )
  return rows
}
