/**
 * The statements that the bare engine and the bare handler run. They are fixed here, and not taken from the service, so that
 * a change of the service never changes what it is compared with.
 */

export const listSize = 200
export const pageSize = 50

/** The rows of a list of API v1. `site` is the SQL for the number of the site. */
export function listStatement(site: string): string {
  return `select code, controller_name as name, max_uses, expire_minutes, status, used_count, created_at, expires_at
    from vouchers where site_id = ${site} order by created_at desc, id desc limit ${listSize}`
}

/** The rows of a page of API v2, and one more row, which shows whether another page follows. */
export function pageStatement(site: string): string {
  return `select site_id, id, code, name, controller_name, reference, status, max_uses, used_count, expire_minutes,
      minutes_cut, qos_down_kbps, qos_up_kbps, qos_quota_mb, created_at, first_used_at, expires_at, valid_until,
      unused_until, revoked_at, synced_at, batch_id,
      case when api_key_id is not null then json_build_object('kind', 'key', 'id', api_key_id,
             'name', (select name from api_keys where id = api_key_id))
           when staff_id is not null then json_build_object('kind', 'staff', 'id', staff_id,
             'name', (select name from staff where id = staff_id)) end as maker
    from vouchers where site_id = ${site} order by created_at desc, id desc limit ${pageSize + 1}`
}

/** Exponent of the skewed choice of sites: with 1,000 sites, a tenth of them gets three quarters of the requests. */
export const skew = 1.1
