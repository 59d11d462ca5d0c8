import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Database, transactionDespiteDeadlocks } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { reachPoint } from '#lib/points.ts'
import { listBatchesToForget } from '../batches/rows-to-forget.queries.ts'
import { findHold } from '../hold.queries.ts'
import {
  type EndedVoucher,
  listSitesToForget,
  listVouchersToForget,
  type SiteToForget,
  withdrawUnusedVouchers,
} from '../record/vouchers-to-forget.queries.ts'
import { isForgetting, noteForgotten, readGuestDataSettings } from '../settings/guest-data.ts'
import { eraseRowsWithoutVoucher, eraseVouchers } from './erase-vouchers.ts'

/** Erasing 500 vouchers takes about 0.2 s. */
const vouchersPerStep = 500
/** A batch has at most 1,000 rows. */
const batchesPerStep = 1
/** A pause follows each step, this many times as long. So forgetting takes a fifth of one connection at most. */
const pausePerStep = 4
/** The most unused vouchers of a site that one run withdraws. The next run continues. */
const maxWithdrawn = 5_000

const runEveryMs = 3_600_000

export type ForgetContext = { db: Database; clock: Clock; keyring: Keyring; log: Log }

/** Whether a new run should begin: the last one ended an hour ago, or did not end. */
export async function isRunDue({ db, clock }: Pick<ForgetContext, 'db' | 'clock'>): Promise<boolean> {
  const settings = await readGuestDataSettings(db)
  return isForgetting(settings) && clock.now().getTime() - (settings.lastRun?.at.getTime() ?? 0) >= runEveryMs
}

type Counts = { vouchers: number; withdrawn: number; rows: number }

/**
 * Forgets the guests whose days are over: erases their names and references, in small steps, the earliest end first. Sites take turns.
 * Unused vouchers without an end are withdrawn first, and a later run forgets their guests. The run ends early if the settings
 * change, the process stops or the service is held. The next run continues, because it does not find erased vouchers again. A site
 * that fails, e.g. because somebody has locked a row of it, does not hold up the others. Its error is thrown at the end.
 */
export async function forgetGuests(ctx: ForgetContext, stopping: AbortSignal): Promise<void> {
  const { db, log } = ctx
  const settings = await readGuestDataSettings(db)
  if (!isForgetting(settings)) return
  const turns = (await listSitesToForget(db, settings)).map((site) => forgetSite(ctx, site))
  const total: Counts = { vouchers: 0, withdrawn: 0, rows: 0 }
  const errors: unknown[] = []
  for (let turn = turns.shift(); turn; turn = turns.shift()) {
    const began = performance.now()
    const { value: counts, done } = await turn.next().catch((error) => {
      errors.push(error)
      return { value: undefined, done: true as const }
    })
    if (done) continue
    turns.push(turn)
    for (const kind of ['vouchers', 'withdrawn', 'rows'] as const) total[kind] += counts[kind] ?? 0
    await pause(pausePerStep * (performance.now() - began), undefined, { signal: stopping }).catch(() => {})
    if (stopping.aborted || !isDeepStrictEqual(await readGuestDataSettings(db), settings)) return
  }
  if (errors.length === 0 && !(await findHold(db))) await noteForgotten(db, total.vouchers)
  if (Object.values(total).some((count) => count > 0)) log.info(total, 'guests were forgotten')
  if (errors.length > 0) throw errors[0]
}

/** Forgets the guests of a site, one step at a time. Each step is a transaction of its own and yields what it did. */
async function* forgetSite({ db, keyring }: ForgetContext, site: SiteToForget): AsyncGenerator<Partial<Counts>> {
  const { siteId, unusedDays } = site
  if (unusedDays !== null)
    for (let withdrawn = 0, count = vouchersPerStep; count === vouchersPerStep && withdrawn < maxWithdrawn; ) {
      count = await db.transaction((tx) => withdrawUnusedVouchers(tx, { ...site, unusedDays }, vouchersPerStep))
      withdrawn += count
      yield { withdrawn: count }
    }
  for (let after: EndedVoucher | undefined, isFull = true; isFull; ) {
    const due = await listVouchersToForget(db, site, { after, limit: vouchersPerStep })
    const ids = due.map(({ id }) => id)
    const { vouchers } = await transactionDespiteDeadlocks(db, async (tx) => {
      const erased = await eraseVouchers(tx, keyring, siteId, ids)
      reachPoint('before guests are forgotten')
      return erased
    })
    yield { vouchers: vouchers.length }
    after = due.at(-1)
    isFull = due.length === vouchersPerStep
  }
  for (let isFull = true; isFull; ) {
    const batchIds = await listBatchesToForget(db, site, batchesPerStep)
    const rows = await transactionDespiteDeadlocks(db, (tx) => eraseRowsWithoutVoucher(tx, keyring, siteId, batchIds))
    yield { rows }
    isFull = rows > 0
  }
}
