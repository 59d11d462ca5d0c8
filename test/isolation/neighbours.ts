import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { expect, vi } from 'vitest'
import { notifyCreated } from '#domain/deliveries/notify-webhooks.ts'
import type { Queue } from '#queue/queue.ts'
import type { TestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedWebhook } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'

/** Starts controllers and receivers that can be made to hang, and gives each of them work of every kind. */
export async function startNeighbours(
  db: TestDatabase,
  queue: Queue,
  counts: { controllers: number; receivers: number },
) {
  const simulator = await startSimulator('--login-limit', '0')
  const sites: number[] = []
  for (const _ of range(counts.controllers)) sites.push(await seedControlledSite(db, simulator))
  const sinks = await Promise.all(range(counts.receivers).map((i) => startWebhookSink(`127.0.1.${i + 1}`)))
  for (const [i, sink] of sinks.entries()) await seedWebhook(db, { url: sink.url, siteIds: [sites[i] as number] })
  await db.query(`update sites set next_sync_at = now() + interval '1 day'`)

  async function giveWork(): Promise<void> {
    for (const siteId of sites) await seedUnsettled(db, siteId, 4)
    await db.query(
      `with guests as (
         insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, max_uses, expire_minutes, created_at)
         select site_id, gen_random_uuid(), gen_random_uuid(), '1', 'x', 'x', 1, 60, now() from unnest($1::integer[]) as s (site_id)
         returning site_id, id
       )
       insert into withdrawals (site_id, id, voucher_id, reason, due_at, next_attempt_at)
       select site_id, gen_random_uuid(), id, 'valid_until', now(), now() from guests`,
      [sites],
    )
    for (const siteId of sites) {
      const id = uuidv7()
      await db.query(
        `insert into batches (site_id, id, actor, api_key_id, request_hash, max_uses, expire_minutes)
         values ($1, $2, 'key:nobody', $2, '', 1, 60)`,
        [siteId, id],
      )
      await db.query(`insert into batch_rows (site_id, batch_id, number, controller_name) values ($1, $2, 1, 'x')`, [
        siteId,
        id,
      ])
    }
    for (const id of sites.slice(0, counts.receivers))
      for (const _ of range(20)) {
        const created = { site: { id, name: 'x' }, source: 'x', vouchers: [{ id: uuidv7(), reference: null }] }
        await db.transaction((tx) => notifyCreated(tx, queue, created))
      }
  }

  return {
    simulator,
    sites,
    async hang() {
      await simulator.behave({ hang: true })
      for (const sink of sinks) sink.answerWith('hang')
      await giveWork()
    },
    /** Lets them answer again, removes their remaining work and waits until their outages have ended. */
    async recover() {
      for (const sink of sinks) sink.answerWith(204)
      await simulator.behave({ hang: false })
      await db.query(`delete from creations where site_id = any ($1)`, [sites])
      await db.query(`delete from withdrawals where site_id = any ($1)`, [sites])
      await db.query(`update batches set finished_at = now() where site_id = any ($1)`, [sites])
      await db.query(`delete from events where site_id = any ($1)`, [sites])
      await db.query('update webhooks set is_slow = false')
      await vi.waitFor(
        async () =>
          expect((await db.query('select from controller_outages where until is null')).rowCount, 'outages').toBe(0),
        { timeout: 120_000, interval: 500 },
      )
    },
  }
}

async function seedUnsettled(db: TestDatabase, siteId: number, count: number): Promise<void> {
  for (const _ of range(count))
    await db.query(
      `insert into creations (site_id, id, actor, api_key_id, request_hash, controller_name, note, max_uses, expire_minutes, state,
         sent_at, lease_until)
       values ($1, $2, 'key:nobody', $3, '', 'x', 'x', 1, 60, 'unknown', now(), now())`,
      [siteId, randomUUID(), randomUUID()],
    )
}
