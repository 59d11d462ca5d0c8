import { v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import { encryptCredentials } from '#domain/controllers/controller-credentials.ts'
import { fingerprintOf } from '#domain/syncing/list-fingerprint.ts'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { pageFromWire } from '#drivers/unifi-integration/wire.ts'
import { inPieces } from '#lib/pieces.ts'
import { seedKeyOfAnyVersion, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { insertVouchers } from '../insert-vouchers.ts'
import { seededVoucher, seededVouchersSql, viewOf } from './seeded-vouchers.ts'

export type SeedOptions = {
  sites: number
  vouchersPerSite: number
  epochMs: number
  /** The addresses of the controllers, which several of them share. */
  origins: string[]
  certificatePin: Buffer
  webhookUrl: string
}

const keyCount = 16
const rateLimit = 100_000

/**
 * Adds sites with one controller each, their vouchers, some keys and a webhook that is notified about every new voucher. The first
 * syncs are spread over five minutes. Returns the keys.
 */
export async function seedSites(db: Database, options: SeedOptions): Promise<string[]> {
  const { sites, vouchersPerSite, epochMs, origins, certificatePin, webhookUrl } = options
  const numbers = Array.from({ length: sites }, (_, i) => i + 1)
  for (const piece of inPieces(numbers, 1_000)) {
    const rows = piece.map((site) => {
      const id = uuidv7()
      const secret = encryptCredentials(testKeyring, id, { apiKey: 'bench' })
      return { id, site, secret, address: `${origins[site % origins.length]}/c/${site}` }
    })
    await db.query(
      `with added as (
         insert into controllers (id, name, driver, address, secret, certificate_pin)
         select id, 'Controller ' || site, 'unifi-integration', address, secret, $5
           from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[]) as row (id, site, address, secret))
       insert into sites (id, name, controller_id, controller_site, next_sync_at, synced_at)
       overriding system value
       select site, 'Haus ' || site, id, 'default', now() + due * interval '5 minutes', now() - (1 - due) * interval '5 minutes'
         from (select id, site, random() as due from unnest($1::uuid[], $2::integer[]) as row (id, site)) as rows`,
      [
        rows.map(({ id }) => id),
        rows.map(({ site }) => site),
        rows.map(({ address }) => address),
        rows.map(({ secret }) => secret),
        certificatePin,
      ],
    )
  }
  await db.query(`select setval(pg_get_serial_sequence('sites', 'id'), $1)`, [sites])
  await insertVouchers(db, seededVouchersSql, [sites, vouchersPerSite, new Date(epochMs)])
  await noteComparisons(db, options)
  await addWebhook({ db, keyring: testKeyring }, testActor, {
    name: 'bench',
    format: 'generic',
    url: webhookUrl,
    siteIds: undefined,
  })
  const keys: string[] = []
  for (let i = 0; i < keyCount; i++) keys.push(await seedKeyOfAnyVersion(db, 'write', rateLimit))
  await db.query('vacuum (analyze)')
  await db.query('checkpoint')
  return keys
}

/**
 * Makes every site due again during the next interval, as if its last sync had been on time. From then on, every site counts as in
 * use, and the interval is this many times five minutes.
 */
export async function spreadSyncs(db: Database, slow: number): Promise<void> {
  await db.query(`drop trigger if exists bench_interval on sites`)
  await db.query('delete from pgboss.job')
  await db.query(
    `update sites set next_sync_at = now() + due * $1 * interval '5 minutes', synced_at = now() - (1 - due) * $1 * interval '5 minutes'
       from (select id as site, random() as due from sites) as rows where id = site`,
    [slow],
  )
  await db.query('vacuum (analyze) sites')
  await db.query(
    `create or replace function bench_interval() returns trigger language plpgsql as $$
       begin
         new.next_sync_at := case when old.next_sync_at > now() + interval '3 minutes' then old.next_sync_at
           else now() + ${Number(slow)} * (0.9 + 0.2 * random()) * interval '5 minutes' end;
         return new;
       end $$`,
  )
  await db.query(
    `create trigger bench_interval before update of next_sync_at on sites for each row
       when (new.next_sync_at > now() + interval '3 minutes') execute function bench_interval()`,
  )
}

/** Notes that every list was compared with the record during the last day. Otherwise all sites would be compared at first. */
async function noteComparisons(db: Database, { sites, vouchersPerSite, epochMs }: SeedOptions): Promise<void> {
  const numbers = Array.from({ length: sites }, (_, i) => i + 1)
  for (const piece of inPieces(numbers, 1_000)) {
    const lists = piece.map((site) => {
      const data = Array.from({ length: vouchersPerSite }, (_, i) =>
        viewOf(seededVoucher({ site, place: i + 1, vouchersPerSite, epochMs })),
      )
      return fingerprintOf(pageFromWire({ totalCount: data.length, data }, 0).vouchers, { adopts: false })
    })
    await db.query(
      `update sites set compared_list = list, compared_version = version, compared_at = now() - random() * interval '22 hours'
         from unnest($1::integer[], $2::bytea[]) as row (site, list), site_versions where site_id = site and id = site`,
      [piece, lists],
    )
  }
}
