import { setTimeout as pause } from 'node:timers/promises'
import { readPublicId } from '#http/v2/kit/fields.ts'
import { range } from '#test/load.ts'
import { call } from '#test/network/http-client.ts'
import type { EndedStay, Stay } from './checker.ts'
import type { World } from './world.ts'

/** A large revocation, and stays that end one after the other while it runs. */
export type Conference = {
  /** How many vouchers are revoked at once, in thousands. */
  thousands: number
  /** How long the controller takes to delete up to 50 vouchers. */
  callMs: number
  /** How many stays end before the faults are healed and how many afterwards, one each second. */
  stays: { before: number; after: number }
}

export type EndsOfStays = {
  /** The faults are healed. From now on each end must be carried out in time. */
  noteHealed(): Promise<void>
  /**
   * Ends the remaining stays, and waits until all of them are gone from the controller or too late. Then the controller
   * answers quickly, so that the large revocation ends too.
   */
  finish(): Promise<EndedStay[]>
  /** The large revocation, for the checker. */
  conference: Stay
}

/** After this time an end, or the large revocation, counts as not carried out. */
const maxWaitMs = 240_000

/** Creates the vouchers, revokes those of the conference and begins to end the stays. */
export async function startEndsOfStays(world: World, { thousands, callMs, stays }: Conference): Promise<EndsOfStays> {
  const [{ simulator, sites }] = world.controllers as [World['controllers'][0]] // the Integration API: 50 vouchers in a call
  const site = sites[0]?.id as number
  const [before, after] = [await checkIn(stays.before), await checkIn(stays.after)]
  for (const n of range(thousands)) await addBatch(`conference-${n}`)
  const slowDown = () => simulator.fault('slow', { on: 'delete', delayMs: callMs, times: 1_000_000 })
  await slowDown()
  const { id: revocation } = await send('/revocations', { filter: { reference: 'conference' } }, 'conference')
  const ending = endStays(before)
  const watching = new AbortController()
  const watched = watch(watching.signal)
  let healedAt = Number.POSITIVE_INFINITY

  async function send(path: string, body: object, idempotencyKey: string): Promise<any> {
    for (;;) {
      const headers = { 'x-api-key': world.keys.write, 'idempotency-key': idempotencyKey }
      const url = `${world.apis[0]?.url}/api/v2${path}`
      const answer = await call(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined)
      if (answer && answer.status < 300) return answer.json()
      await pause(200)
    }
  }

  async function checkIn(count: number): Promise<EndedStay[]> {
    const made: EndedStay[] = []
    for (const _ of range(count)) {
      const body = { site_id: site, name: 'Stay', expire_minutes: 60, valid_until: new Date(Date.now() + 86_400_000) }
      const { id, code } = await send('/vouchers', body, crypto.randomUUID())
      made.push({ id: readPublicId(id)?.id as string, code, dueAt: undefined, goneAt: undefined })
    }
    return made
  }

  async function addBatch(key: string): Promise<void> {
    const body = { site_id: site, name: 'Conference', count: 1_000, expire_minutes: 60, reference: 'conference' }
    const batch = readPublicId((await send('/batches', body, key)).id)?.id
    const isMade = async () =>
      (await world.db.query('select from batches where id = $1 and finished_at is not null', [batch])).rowCount === 1
    while (!(await isMade())) await pause(200)
  }

  /** Moves the ends of these stays to now, one each second. */
  async function endStays(ended: EndedStay[]): Promise<void> {
    for (const stay of ended) {
      await world.db.query(
        `with ended as (update vouchers set valid_until = now() where id = $1)
         update withdrawals set due_at = now(), next_attempt_at = now() where voucher_id = $1 and reason = 'valid_until'`,
        [stay.id],
      )
      stay.dueAt = Date.now()
      await pause(1_000)
    }
  }

  /** Notes when each voucher is gone from the controller. */
  async function watch(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const gone = new Set((await simulator.vouchers()).filter(({ deleted }) => deleted).map(({ code }) => code))
      for (const stay of [...before, ...after]) if (gone.has(stay.code)) stay.goneAt ??= Date.now()
      await pause(500)
    }
  }

  const isRevoked = async () =>
    (
      await world.db.query('select from withdrawals where revocation_id = $1 and settled_at is null limit 1', [
        revocation,
      ])
    ).rowCount === 0

  return {
    conference: { op: -1, site, name: 'Conference', revocation },
    async noteHealed() {
      await slowDown()
      healedAt = Date.now()
    },
    async finish() {
      await ending
      await endStays(after)
      const all = [...before, ...after]
      await untilTrue(async () => all.every(({ goneAt }) => goneAt !== undefined))
      watching.abort()
      await watched
      await simulator.forgetFaults()
      await untilTrue(isRevoked)
      return all.map((stay) => ({ ...stay, dueAt: stay.dueAt && Math.max(stay.dueAt, healedAt) }))
    },
  }
}

async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + maxWaitMs
  while (!(await isTrue()) && Date.now() < endsAt) await pause(200)
}
