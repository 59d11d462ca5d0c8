/**
 * SQL: whether a webhook still has the sites of a delivery. Deliveries of sites that it lost are hidden and not sent. A sweep
 * deletes them later. A removed webhook has lost all its sites.
 */
export function hasSitesOf(delivery: string, webhook: string): string {
  return `(${webhook}.lost_sites_at is null or ${webhook}.all_sites or case when ${delivery}.site_ids is null
    then exists (select from events of_site join webhook_sites has on has.site_id = of_site.site_id
                  where of_site.id = ${delivery}.event_id and has.webhook_id = ${webhook}.id)
    else ${delivery}.site_ids <@ array(select site_id from webhook_sites has where has.webhook_id = ${webhook}.id) end)`
}
