import type { Simulator } from '../network/simulator.ts'
import type { TestDatabase } from './database.ts'

const perCall = 10_000

/**
 * Adds vouchers of a conference to a site and to the record, as if they had been created before. Their
 * name and their reference are `conference <site>`.
 */
export async function addConference(
  db: Pick<TestDatabase, 'query'>,
  site: { id: number; simulator: Simulator; reference?: string },
  count: number,
): Promise<void> {
  const name = `conference ${site.id}`
  const { simulator, reference: internalReference = 'default' } = site
  for (let left = count; left > 0; left -= perCall)
    await simulator.addVoucher({ internalReference, name, timeLimitMinutes: 60, count: Math.min(left, perCall) })
  const made = (await simulator.vouchers()).filter((voucher) => voucher.name === name)
  await db.query(
    `insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, reference, max_uses, expire_minutes,
                           created_at)
     select $1, gen_random_uuid(), made.id, made.code, $4, $4, $4, 1, 60, now()
       from unnest($2::text[], $3::text[]) as made (id, code)`,
    [site.id, made.map(({ id }) => id), made.map(({ code }) => code), name],
  )
}
