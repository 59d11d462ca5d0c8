import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Database } from '#db/database.ts'
import { setGuestData } from '#domain/settings/guest-data.ts'
import { testActor } from '#test/data/seed.ts'
import { isLong, median, report } from '#test/measuring.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startWorkerProcess } from './contenders/processes.ts'
import { startMeasuredService } from './measured-service.ts'
import { controllerCount } from './seed.ts'

const vouchersToForget = 1_000_000
const rounds = 3

test.runIf(isLong)(
  'while a worker forgets a million guests, as many creations as possible keep 0.9 of their rate',
  { timeout: 1_800_000 }, // seeding a million vouchers takes minutes
  async () => {
    const { db, process, run } = await startMeasuredService(addVouchers)
    const worker = await startWorkerProcess(process)
    onFileEnd(worker.stop)
    const alone: number[] = []
    const beside: number[] = []
    const paces: number[] = []
    await run() // V8 still optimises the code
    for (let round = 0; round < rounds; round++) {
      alone.push(await run())
      await setGuestData(db, testActor, { forgetAfterDays: 30 })
      const before = await countForgotten(db)
      await vi.waitFor(async () => expect(await countForgotten(db)).toBeGreaterThan(before), {
        timeout: 120_000,
        interval: 1_000,
      })
      const [began, forgotten] = [performance.now(), await countForgotten(db)]
      beside.push(await run())
      paces.push(((await countForgotten(db)) - forgotten) / ((performance.now() - began) / 1_000))
      await setGuestData(db, testActor, { forgetAfterDays: null })
      await pause(2_000) // the run ends after its step
    }
    report('creations a second alone', alone)
    report('creations a second while guests are forgotten', beside)
    report('guests forgotten a second', paces)
    report('hours for a million guests', vouchersToForget / median(paces) / 3_600)

    expect(Math.min(...paces)).toBeGreaterThan(0)
    expect(median(beside) / median(alone)).toBeGreaterThan(0.9)
  },
)

function addVouchers(db: Database) {
  return db.query(
    `insert into vouchers (site_id, id, controller_voucher_id, code, controller_name, name, reference, max_uses, expire_minutes,
       status, created_at, expires_at, end_told)
     select 1 + n % $2::integer, gen_random_uuid(), 'c' || n, lpad(n::text, 10, '0'), '2026-01-14_Gast ' || n, 'Gast ' || n,
            'R-' || n, 1, 480, 'expired', now() - interval '50 days', now() - interval '40 days' - n * interval '1 second', true
       from generate_series(1, $1::integer) n`,
    [vouchersToForget, controllerCount],
  )
}

async function countForgotten(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::integer as count from vouchers where erased_at is not null',
  )
  return rows[0]?.count ?? 0
}
