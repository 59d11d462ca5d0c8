import { setTimeout as pause } from 'node:timers/promises'
import { withoutTag } from '#domain/record/voucher-shape.ts'
import { isLong } from '#test/measuring.ts'
import type { Aftermath } from './checker.ts'
import type { WorldOfRecord } from './world.ts'

/** All work has to end in 30 s. In CI the machine may be busy with other tests, and four times that is allowed. */
const quietSeconds = isLong ? 30 : 120

/** Waits for the settle window, forces one sync of each site, and then waits until all work has ended. */
export async function waitForQuiet(world: WorldOfRecord): Promise<void> {
  await pause(world.settleSeconds * 1_000)
  const { rows } = await world.db.query<{ at: Date }>('select now() as at')
  await world.db.query(`update sites set next_sync_at = now() - interval '1 second'`)
  const endsAt = Date.now() + quietSeconds * 1_000
  while (Date.now() < endsAt && !(await isQuiet(world, rows[0]?.at as Date))) await pause(500)
}

async function isQuiet({ db, sink }: WorldOfRecord, since: Date): Promise<boolean> {
  const { rows } = await db.query<{ open: boolean }>(
    `select exists (select from creations where settled_at is null)
         or exists (select from batches where finished_at is null)
         or exists (select from withdrawals where settled_at is null and next_attempt_at < now() + interval '1 hour')
         or exists (select from sites where synced_at is null or synced_at < $1 or sync_failure is not null) as open`,
    [since],
  )
  const unnotified = await db.query<{ id: string }>(
    `select id from vouchers where creation_id is not null and status <> 'revoked'`,
  )
  return rows[0]?.open === false && unnotified.rows.every(({ id }) => sink.notified.has(id))
}

export async function readAftermath({ db, controllers, sink }: WorldOfRecord): Promise<Aftermath> {
  const { rows: recorded } = await db.query<Aftermath['recorded'][0]>(
    `select site_id as "siteId", id, code, status, creation_id as "creationId", batch_id as "batchId"
       from vouchers where status <> 'revoked'`,
  )
  const { rows } = await db.query<{ unsettled: number }>(
    'select count(*)::integer as unsettled from creations where settled_at is null',
  )
  const { rows: batches } = await db.query<{
    id: string
    finished: boolean
    size: number
    made: number
    failed: number
  }>(
    `select b.id, b.finished_at is not null as finished, count(*)::integer as size,
            (count(*) filter (where r.state = 'made'))::integer as made,
            (count(*) filter (where r.state = 'failed'))::integer as failed
       from batches b join batch_rows r on r.site_id = b.site_id and r.batch_id = b.id
      group by b.id, b.finished_at`,
  )
  const { rows: open } = await db.query<{ id: string }>(
    'select distinct revocation_id as id from withdrawals where settled_at is null and revocation_id is not null',
  )
  const { rows: unrecorded } = await db.query<{ id: number; count: number }>(
    'select id, unrecorded as count from sites',
  )
  const onControllers: Aftermath['onControllers'] = new Map()
  const askedNames = new Set<string>()
  const deletedOfOthers: string[] = []
  for (const { simulator, sites } of controllers) {
    const vouchers = await simulator.vouchers()
    const references = await simulator.siteReferences()
    for (const { id, reference } of sites) {
      const there = vouchers.filter(({ siteId, deleted }) => !deleted && references.get(siteId) === reference)
      onControllers.set(
        id,
        there.map(({ code, name, createdBy }) => ({ code, name: withoutTag(name), isOurs: createdBy === 'api' })),
      )
    }
    for (const { name } of vouchers) askedNames.add(withoutTag(name))
    deletedOfOthers.push(
      ...vouchers.filter(({ deleted, createdBy }) => deleted && createdBy !== 'api').map(({ code }) => code),
    )
  }
  const mayReport = controllers.flatMap(({ sites }) => sites).filter(({ tellsWhoMade }) => !tellsWhoMade)
  return {
    recorded,
    openRevocations: new Set(open.map(({ id }) => id)),
    onControllers,
    deletedOfOthers,
    reported: new Map(mayReport.map(({ id }) => [id, unrecorded.find((site) => site.id === id)?.count ?? 0])),
    notified: sink.notified,
    unsettled: rows[0]?.unsettled ?? 0,
    batches: new Map(batches.map((batch) => [batch.id, batch])),
    askedNames,
  }
}
