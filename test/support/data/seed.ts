import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import type { Actor, Role } from '#domain/actor.ts'
import { addController } from '#domain/controllers/add-controller.ts'
import { createKey, type KeyRequest } from '#domain/keys/administer-keys.ts'
import { makeKey, prefixOf, sha256Of } from '#domain/keys/key.ts'
import { addPerson } from '#domain/people/administer-staff.ts'
import { hashPassword } from '#domain/people/password.ts'
import { startSession } from '#domain/people/sign-in.ts'
import { updatePasswordHash } from '#domain/people/staff.queries.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { addWebhook, type WebhookRequest } from '#domain/webhooks/administer-webhooks.ts'
import { testDrivers, testKeyring } from '../environment.ts'

/** The actor for tests in which it does not matter who acts. */
export const testActor: Actor = { kind: 'command', name: 'test' }

/** Inserts a controller at an address where nothing answers; returns its id. */
export async function seedController(db: Queryable): Promise<string> {
  const id = uuidv7()
  await db.query(
    `insert into controllers (id, name, driver, address) values ($1::uuid, $1::text, 'unifi-integration', 'https://x')`,
    [id],
  )
  return id
}

/** Inserts a site on its own controller; returns its number. */
export async function seedSite(db: Queryable, site: { name?: string; active?: boolean } = {}): Promise<number> {
  const controllerId = await seedController(db)
  const { rows } = await db.query<{ id: number }>(
    `insert into sites (name, controller_id, controller_site, active) values ($1, $2, 'default', $3) returning id`,
    [site.name ?? 'Hauptgebäude', controllerId, site.active ?? true],
  )
  return rows[0]?.id as number
}

/** Creates a key, which has no rate limit unless the test sets one. One with the scope `manage` expires in an hour. */
export async function seedKey(db: Database, request: Partial<KeyRequest> = {}) {
  return createKey(db, testActor, {
    name: 'Test',
    scope: 'read',
    rateLimit: 0,
    siteIds: undefined,
    expiresAt: request.scope === 'manage' ? new Date(Date.now() + 3_600_000) : null,
    ...request,
  })
}

/** A key without a rate limit, with the columns of 0.1.0: the database may belong to an earlier version. Returns the key. */
export async function seedKeyOfAnyVersion(
  db: Database,
  scope: 'read' | 'write' | 'manage',
  rateLimit = 0,
): Promise<string> {
  const key = makeKey()
  await db.query(
    `with key as (
       insert into api_keys (id, name, scope, rate_limit, all_sites, expires_at)
       values (gen_random_uuid(), $1, $1, $2, true, now() + interval '1 hour') returning id)
     insert into api_key_secrets (api_key_id, prefix, sha256) select id, $3, $4 from key`,
    [scope, rateLimit, prefixOf(key), sha256Of(key)],
  )
  return key
}

type SimulatedController = { url: string; apiKey: string; login?: { username: string; password: string } }

/**
 * Adds a site on a simulated controller. `url` may be the address of a proxy in front of it. A worker syncs a new site at some
 * moment of its first seconds; `isSyncedLater` prevents that, for a test that counts calls or changes the record by hand.
 */
export async function seedControlledSite(
  db: Database,
  controller: SimulatedController,
  site: { name?: string; active?: boolean; controllerSite?: string; driver?: string; isSyncedLater?: boolean } = {},
): Promise<number> {
  const name = uuidv7()
  const { driver = 'unifi-integration', active = true, isSyncedLater = false } = site
  const { url: address, apiKey, login } = controller
  const credentials = driver === 'unifi-classic' && login ? login : { apiKey }
  await addController({ db, keyring: testKeyring, drivers: testDrivers }, testActor, {
    name,
    driver,
    address,
    credentials,
  })
  const added = await addSite(db, testActor, {
    name: site.name ?? 'Hauptgebäude',
    controller: name,
    controllerSite: site.controllerSite ?? 'default',
    active: active && !isSyncedLater, // a worker skips a site that is not active
  })
  if (isSyncedLater)
    await db.query(`update sites set active = $2, next_sync_at = now() + interval '1 day' where id = $1`, [
      added.id,
      active,
    ])
  return added.id
}

export type SeedVoucher = Partial<{
  code: string
  name: string
  status: string
  usedCount: number
  maxUses: number
  expireMinutes: number
  createdAt: Date
  expiresAt: Date | null
  reference: string
  apiKeyId: string
  batchId: string
}>

/** Inserts a voucher; returns its id in the record, which is not that on the controller. */
export async function seedVoucher(db: Queryable, siteId: number, voucher: SeedVoucher = {}): Promise<string> {
  const id = uuidv7()
  await db.query(
    `insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, status,
                           used_count, created_at, expires_at, reference, api_key_id, batch_id)
     values ($1, $2, $3, $4, $5, without_date($5), $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      siteId,
      id,
      randomUUID(),
      voucher.code ?? '4861409510',
      voucher.name ?? '2026-11-14_Gast',
      voucher.maxUses ?? 1,
      voucher.expireMinutes ?? 480,
      voucher.status ?? 'valid',
      voucher.usedCount ?? 0,
      voucher.createdAt ?? new Date(),
      voucher.expiresAt ?? null,
      voucher.reference ?? null,
      voucher.apiKeyId ?? null,
      voucher.batchId ?? null,
    ],
  )
  return id
}

/** Inserts many vouchers in one statement. Each was created one second before the previous one. */
export async function seedManyVouchers(db: Queryable, siteId: number, count: number): Promise<void> {
  await db.query(
    `insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes,
       created_at)
     select $1, gen_random_uuid(), 'c' || n, lpad((n::bigint * 7919 % 10000000000)::text, 10, '0'),
            '2026-11-14_Gast ' || n, 'Gast ' || n, 1, 480, now() - n * interval '1 second'
       from generate_series(1, $2) n`,
    [siteId, count],
  )
}

/** Inserts a finished batch whose only row failed; returns its id. */
export async function seedBatch(db: Queryable, siteId: number): Promise<string> {
  const id = uuidv7()
  await db.query(
    `insert into batches (site_id, id, actor, api_key_id, request_hash, max_uses, expire_minutes, finished_at)
     values ($1, $2, 'key:nobody', $2, '', 1, 60, now())`,
    [siteId, id],
  )
  await db.query(
    `insert into batch_rows (site_id, batch_id, number, controller_name, state) values ($1, $2, 1, '2026-11-14_Gast', 'failed')`,
    [siteId, id],
  )
  return id
}

/** Inserts a template of 60 minutes, for all sites unless one is given; returns its id. */
export async function seedTemplate(db: Queryable, siteId: number | null = null): Promise<string> {
  const id = uuidv7()
  await db.query(
    `insert into templates (id, site_id, name, max_uses, expire_minutes, qos_down_kbps) values ($1, $2, $3, 2, 60, 5000)`,
    [id, siteId, id],
  )
  return id
}

/** Adds a webhook, for all sites and to an address where nothing answers unless the test says otherwise; returns its id. */
export async function seedWebhook(db: Database, webhook: Partial<WebhookRequest> = {}): Promise<string> {
  const usual = { name: uuidv7(), format: 'generic', url: 'http://127.0.0.1:9/hook', siteIds: undefined }
  return (await addWebhook({ db, keyring: testKeyring }, testActor, { ...usual, ...webhook })).id
}

/** Messages to guests whose attempts have failed for some minutes. Their addresses cannot be decrypted. */
export async function seedFailingMessages(
  db: Queryable,
  siteId: number,
  { count = 1, minutes }: { count?: number; minutes: number },
): Promise<void> {
  await db.query(
    `insert into messages (id, site_id, voucher_id, email, language, state, attempts, failure, failing_since, next_attempt_at, send_until)
     select gen_random_uuid(), $1, gen_random_uuid(), 'v1.test.' || repeat('x', 40), 'de', 'waiting', 3, 'port_closed',
            now() - make_interval(mins => $3), now() + interval '1 hour', now() + interval '1 day'
       from generate_series(1, $2::integer)`,
    [siteId, count, minutes],
  )
}

type SeedPerson = { role?: Role; siteIds?: number[]; password?: string; email?: string; name?: string }

/** Cheap parameters for tests: the hash of the service takes 0.2 s of processor time at each sign-in. */
const cheapHash = { N: 2 ** 10, r: 8, p: 1 }

/** Adds a person who is signed in. `session` is the token of the session. A person without `password` has none. */
export async function seedPerson(
  db: Database,
  { role = 'desk', siteIds, password, email = `${uuidv7()}@example.com`, name = 'Anna' }: SeedPerson = {},
): Promise<{ id: string; email: string; session: string }> {
  const request = { name, email, role, siteIds, language: null }
  const { person } = await addPerson(db, testActor, request)
  if (password !== undefined) await updatePasswordHash(db, person.id, await hashPassword(password, cheapHash))
  const visitor = { address: '127.0.0.1', userAgent: 'Test', token: undefined }
  const { token } = await db.transaction((tx) => startSession(tx, visitor, person.id, { by: 'password' }))
  return { id: person.id, email, session: token }
}
