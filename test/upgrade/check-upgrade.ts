import type { Database } from '#db/database.ts'
import { isLong } from '#test/measuring.ts'
import type { Simulator } from '#test/network/simulator.ts'
import type { Received } from '#test/network/webhook-sink.ts'
import type { Load } from './upgrade-load.ts'

type Upgraded = {
  db: Database
  load: Load
  simulators: Simulator[]
  /** The site of each simulator. */
  sites: number[]
  /** The webhook that gets all events, and the notifications that its receiver acknowledged. */
  webhookId: string
  received: Received[]
  /** The lines that all processes have logged. */
  logs: string[]
}

/** Returns one sentence for each failed request, and for each lost or doubled voucher, withdrawal or notification. */
export async function checkUpgrade(upgraded: Upgraded): Promise<string[]> {
  return [
    ...upgraded.load.failures,
    ...checkKeys(upgraded),
    ...(await checkRecord(upgraded)),
    ...(await checkWithdrawals(upgraded)),
    ...(await checkNotifications(upgraded)),
    ...(await checkJobs(upgraded)),
    ...upgraded.logs.filter(isError),
  ]
}

function checkKeys({ load }: Upgraded): string[] {
  return [...Map.groupBy(load.created, ({ idempotencyKey }) => idempotencyKey)]
    .filter(([, answers]) => new Set(answers.map(({ code }) => code)).size > 1)
    .map(([key]) => `Idempotency-Key ${key} was answered with two codes`)
}

type Recorded = { siteId: number; code: string; status: string }

/** The record and the controllers have the same vouchers, each once, and these include the vouchers of all answers. */
async function checkRecord({ db, load, simulators, sites }: Upgraded): Promise<string[]> {
  const { rows } = await db.query<Recorded>('select site_id as "siteId", code, status from vouchers')
  const nameOf = ({ siteId, code }: { siteId: number; code: string }) => `${siteId} ${code}`
  const recorded = rows.map(nameOf)
  const live = new Set(rows.filter(({ status }) => status !== 'revoked').map(nameOf))
  const onControllers = await Promise.all(
    simulators.map(async (simulator, i) =>
      (await simulator.vouchers()).map(({ code, deleted }) => ({
        name: nameOf({ siteId: sites[i] as number, code }),
        deleted,
      })),
    ),
  )
  const everCreated = onControllers.flat()
  const there = everCreated.filter(({ deleted }) => !deleted).map(({ name }) => name)
  return [
    ...doubled(recorded, 'is recorded twice'),
    ...missing(load.created.map(nameOf), recorded, 'was answered with 201 and is not recorded'),
    ...missing(
      everCreated.map(({ name }) => name),
      recorded,
      'is on a controller and not recorded',
    ),
    ...missing(there, live, 'is recorded as revoked and still on its controller'),
    ...missing(live, there, 'is valid and not on its controller'),
  ]
}

/** Each revocation has ended, each voucher was deleted once, and each batch has all its vouchers. */
async function checkWithdrawals({ db, load, simulators }: Upgraded): Promise<string[]> {
  const { rows: open } = await db.query<{ id: string }>('select id from withdrawals where settled_at is null')
  const { rows: failed } = await db.query<{ outcome: string }>(
    `select distinct outcome from withdrawals where outcome <> 'revoked'`,
  )
  const { rows: revocations } = await db.query<{ id: string }>('select distinct revocation_id as id from withdrawals')
  const { rows: batches } = await db.query<{ id: string }>(
    `select site_id || '-' || id as id from batches b where finished_at is not null
        and (select count(*) from batch_rows r where r.batch_id = b.id)
          = (select count(*) from vouchers v where v.site_id = b.site_id and v.batch_id = b.id)`,
  )
  const { rows: revoked } = await db.query<{ id: string; mayRepeat: boolean }>(
    `select controller_voucher_id as id,
            exists (select from withdrawals w where w.voucher_id = v.id and w.attempts > 1) as "mayRepeat"
       from vouchers v where status = 'revoked'`,
  )
  const ids = revoked.map(({ id }) => id)
  // On a busy machine, a call may take longer than the lease of its withdrawals. Then another worker repeats it.
  const allowed = new Set(isLong ? [] : revoked.filter(({ mayRepeat }) => mayRepeat).map(({ id }) => id))
  const deletions = (await Promise.all(simulators.map((simulator) => listDeletions(simulator, ids)))).flat()
  return [
    ...open.map(({ id }) => `withdrawal ${id} has not ended`),
    ...failed.map(({ outcome }) => `a withdrawal ended with the outcome ${outcome}`),
    ...missing(
      load.revocations,
      revocations.map(({ id }) => id),
      'is a revocation that is not recorded',
    ),
    ...missing(
      load.batches,
      batches.map(({ id }) => id),
      'is a batch that lacks vouchers',
    ),
    ...missing(ids, deletions, 'is revoked and was never deleted on its controller'),
    ...doubled(
      deletions.filter((id) => !allowed.has(id)),
      'was deleted twice on its controller',
    ),
  ]
}

/** Ids in requests to delete vouchers, once for each request. */
async function listDeletions(simulator: Simulator, ids: string[]): Promise<string[]> {
  const texts = (await simulator.requests())
    .filter(({ method, body }) => method === 'DELETE' || (body as { cmd?: string } | null)?.cmd === 'delete-voucher')
    .map(({ path, query, body }) => `${path} ${query} ${JSON.stringify(body)}`)
  return ids.flatMap((id) => texts.filter((text) => text.includes(id)).map(() => id))
}

/** Each event was acknowledged once, each voucher was announced once, and each revoked one once more. */
async function checkNotifications({ db, webhookId, received }: Upgraded): Promise<string[]> {
  const { rows: deliveries } = await db.query<{ eventId: string; state: string }>(
    'select event_id as "eventId", state from deliveries where webhook_id = $1',
    [webhookId],
  )
  const { rows: vouchers } = await db.query<{ id: string; status: string }>(
    `select site_id || '-' || id as id, status from vouchers where creation_id is not null`,
  )
  const { rows: batches } = await db.query<{ id: string }>(`select site_id || '-' || id as id from batches`)
  const events = received.map(({ headers, body }) => ({ id: String(headers['webhook-id']), ...JSON.parse(body) }))
  const announced = (type: string): string[] =>
    events.filter((event) => event.type === type).flatMap(({ data }) => data.voucher_ids ?? [data.batch_id])
  const revoked = vouchers.filter(({ status }) => status === 'revoked')
  return [
    ...deliveries
      .filter(({ state }) => state !== 'delivered')
      .map(({ eventId, state }) => `event ${eventId} is ${state}`),
    ...missing(
      deliveries.map(({ eventId }) => eventId),
      events.map(({ id }) => id),
      'is an event that did not arrive',
    ),
    ...doubled(
      events.map(({ id }) => id),
      'is an event that was acknowledged twice',
    ),
    ...missing(
      vouchers.map(({ id }) => id),
      announced('voucher.created'),
      'was created without a notification',
    ),
    ...missing(
      revoked.map(({ id }) => id),
      announced('voucher.revoked'),
      'was revoked without a notification',
    ),
    ...missing(
      batches.map(({ id }) => id),
      announced('batch.finished'),
      'is a batch that ended without a notification',
    ),
    ...['voucher.created', 'voucher.revoked', 'batch.finished'].flatMap((type) =>
      doubled(announced(type), `is in two events of the type ${type}`),
    ),
  ]
}

/**
 * Jobs of the queues `batch` and `withdraw` only start due work earlier than the next sweep would. A worker that stops on a busy machine
 * may give up such a job: nothing is lost.
 */
async function checkJobs({ db }: Upgraded): Promise<string[]> {
  const { rows } = await db.query<{ name: string; output: unknown }>(
    `select name, output from pgboss.job
      where state = 'failed' and not (name in ('batch', 'withdraw') and output ->> 'message' = 'the worker stopped')`,
  )
  return rows.map(({ name, output }) => `a job of the queue ${name} failed: ${JSON.stringify(output).slice(0, 300)}`)
}

/** A line of the log of pino with the level error or fatal. */
function isError(line: string): boolean {
  return /"level":[56]0/.test(line)
}

function missing(wanted: Iterable<string>, found: Iterable<string>, problem: string): string[] {
  const known = new Set(found)
  return [...new Set(wanted)].filter((each) => !known.has(each)).map((each) => `${each} ${problem}`)
}

function doubled(all: string[], problem: string): string[] {
  return [...Map.groupBy(all, (each) => each)]
    .filter(([, same]) => same.length > 1)
    .map(([each, same]) => `${each} ${problem} (${same.length} times)`)
}
