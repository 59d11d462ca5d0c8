import { isLong } from '#test/measuring.ts'

/** The attempts of the clients, the ids of their batches, the stays of their guests, and stays that ended by themselves. */
export type ClientActivity = { history: Attempt[]; batches: string[]; stays: Stay[]; ends?: EndedStay[] }

/** Returns one sentence for each broken promise; an empty list when all were kept. */
export function check(
  { history, batches, stays, ends = [] }: ClientActivity,
  after: Aftermath,
  limited: LimitedKey,
): string[] {
  return [
    ...lateEnds(ends),
    ...wrongBatches(batches, after),
    ...brokenRevocations(stays, after),
    ...after.deletedOfOthers.map((code) => `voucher ${code} was made by others and is deleted`),
    ...lostVouchers(history, after),
    ...missingInLists(history),
    ...orphansAndGhosts(after),
    ...missingNotifications(after),
    ...overTheLimit(history, limited),
    ...withoutRight(history),
    ...doubleVouchers(history, after),
    ...callsFor4xx(history, after),
    ...(after.unsettled > 0 ? [`${after.unsettled} creations are still open`] : []),
  ]
}

const created = (history: Attempt[]) => history.filter(({ kind, status }) => kind === 'create' && status === 201)

function lostVouchers(history: Attempt[], { recorded }: Aftermath): string[] {
  const known = new Set(recorded.map(({ siteId, code }) => `${siteId} ${code}`))
  return created(history)
    .filter(({ site, code }) => !known.has(`${site} ${code}`))
    .map(({ op, code }) => `op ${op}: 201 with code ${code}, which is not recorded`)
}

function missingInLists(history: Attempt[]): string[] {
  return history
    .filter(({ kind, status, listed }) => kind === 'list' && status === 200 && !listed)
    .map(({ op, code }) => `op ${op}: code ${code} was missing in a list begun after its 201`)
}

/** Every voucher that we made must be recorded or, where it is not certain that we made it, at least reported. */
function orphansAndGhosts({ recorded, onControllers, reported }: Aftermath): string[] {
  return [...onControllers].flatMap(([siteId, vouchers]) => {
    const here = recorded.filter((voucher) => voucher.siteId === siteId).map(({ code }) => code)
    const [there, recordedHere] = [new Set(vouchers.map(({ code }) => code)), new Set(here)]
    const orphans = vouchers.filter(({ code, isOurs }) => isOurs && !recordedHere.has(code))
    return [
      ...orphans
        .slice(reported.get(siteId) ?? 0)
        .map(({ code }) => `site ${siteId}: ${code} is an orphan on its controller`),
      ...here
        .filter((code) => !there.has(code))
        .map((code) => `site ${siteId}: ${code} is recorded, but not on its controller`),
      ...(recordedHere.size < here.length ? [`site ${siteId}: a code is recorded twice`] : []),
    ]
  })
}

function missingNotifications({ recorded, notified }: Aftermath): string[] {
  return recorded
    .filter(({ id, creationId }) => creationId !== null && !notified.has(id))
    .map(({ siteId, code }) => `site ${siteId}: no notification of ${code} was acknowledged`)
}

/** A batch must end with every row made or failed, and with one recorded voucher for each row that was made. */
function wrongBatches(asked: string[], { recorded, batches }: Aftermath): string[] {
  const counts = Map.groupBy(recorded, ({ batchId }) => batchId)
  return asked.flatMap((id) => {
    const batch = batches.get(id)
    if (!batch) return [`batch ${id} was accepted and is not there`]
    const { finished, size, made, failed } = batch
    const there = counts.get(id)?.length ?? 0
    return [
      ...(finished ? [] : [`batch ${id} has not ended`]),
      ...(made + failed === size ? [] : [`batch ${id}: ${made} made and ${failed} failed of ${size}`]),
      ...(there === made ? [] : [`batch ${id}: ${made} are said to be made, ${there} are recorded`]),
    ]
  })
}

/** A revocation that is done leaves no voucher on the controller, even of a check-in with an unknown outcome. */
function brokenRevocations(stays: Stay[], { onControllers, openRevocations }: Aftermath): string[] {
  return stays.flatMap(({ op, site, name, revocation }) => {
    if (revocation === undefined || openRevocations.has(revocation)) return [`op ${op}: its revocation has not ended`]
    const left = (onControllers.get(site) ?? []).filter(
      (voucher) => voucher.isOurs && voucher.name.endsWith(`_${name}`),
    )
    return left.map(({ code }) => `op ${op}: its revocation is done, but ${code} is still on the controller`)
  })
}

/** An end is carried out in 30 s, whatever else is due. In CI the machine may be busy with other tests. */
export const maxEndSeconds = isLong ? 30 : 120

function lateEnds(ends: EndedStay[]): string[] {
  return ends.flatMap(({ code, dueAt, goneAt }) => {
    if (dueAt === undefined) return [`stay ${code} was never ended`]
    if (goneAt === undefined) return [`stay ${code} has ended, and its voucher is still on the controller`]
    const seconds = Math.round((goneAt - dueAt) / 1_000)
    return seconds > maxEndSeconds ? [`stay ${code} has ended, and its voucher was deleted ${seconds} s later`] : []
  })
}

function overTheLimit(history: Attempt[], { limit, windows, storeLosses }: LimitedKey): string[] {
  const accepted = history.filter(({ kind, status }) => kind === 'limited' && status === 200).length
  const allowed = limit * (windows + storeLosses)
  return accepted > allowed ? [`${accepted} requests of the limited key were accepted, ${allowed} are allowed`] : []
}

function withoutRight(history: Attempt[]): string[] {
  return history
    .filter(({ kind, status }) => kind === 'forbidden' && typeof status === 'number' && status < 300)
    .map(({ op }) => `op ${op}: accepted without the right to it`)
}

function doubleVouchers(history: Attempt[], { recorded }: Aftermath): string[] {
  const byKey = Map.groupBy(
    created(history).filter(({ idempotencyKey }) => idempotencyKey !== undefined),
    ({ idempotencyKey }) => idempotencyKey,
  )
  const mixed = [...byKey].filter(([, attempts]) => new Set(attempts.map(({ code }) => code)).size > 1)
  const byCode = Map.groupBy(created(history), ({ site, code }) => `${site} ${code}`)
  const shared = [...byCode].filter(
    ([, attempts]) => new Set(attempts.map(({ idempotencyKey, op }) => idempotencyKey ?? op)).size > 1,
  )
  // Two recorded vouchers with the same creation mean that one request made two.
  const byName = Map.groupBy(
    recorded.filter(({ creationId }) => creationId !== null),
    ({ siteId, creationId }) => `${siteId} ${creationId}`,
  )
  const twice = [...byName].filter(([, vouchers]) => vouchers.length > 1)
  return [
    ...mixed.map(([key]) => `Idempotency-Key ${key} was answered with two codes`),
    ...shared.map(([code]) => `code ${code} was given to two requests`),
    ...twice.map(([creation]) => `creation ${creation} has two vouchers`),
  ]
}

function callsFor4xx(history: Attempt[], { askedNames }: Aftermath): string[] {
  return history
    .filter(({ kind, name }) => kind === 'invalid' && [...askedNames].some((asked) => asked.endsWith(`_${name}`)))
    .map(({ op }) => `op ${op}: a rejected request reached a controller`)
}

/** One request of a client and its answer. The status of a lost answer is `unknown`, never a failure. */
export type Attempt = {
  op: number
  kind: 'create' | 'list' | 'forbidden' | 'invalid' | 'limited'
  site: number
  name: string
  idempotencyKey: string | undefined
  startedAt: number
  endedAt: number
  status: number | 'unknown'
  code: string | undefined
  /** Only for lists: whether the list contained the code that its client had received before. */
  listed?: boolean
}

/** A guest who checked in and out. The revocation is undefined until it is accepted. */
export type Stay = { op: number; site: number; name: string; revocation: string | undefined }

/** A stay with `valid_until`. `dueAt`: its end, or the end of the faults if that was later. */
export type EndedStay = { id: string; code: string; dueAt: number | undefined; goneAt: number | undefined }

/** The state of the record and the controllers when all work has ended. */
export type Aftermath = {
  /** Revocations that have not ended. */
  openRevocations: Set<string>
  recorded: {
    siteId: number
    id: string
    code: string
    status: string
    creationId: string | null
    batchId: string | null
  }[]
  /** The vouchers on the controller of each site, by site id. */
  onControllers: Map<number, { code: string; name: string; isOurs: boolean }[]>
  /** Codes of vouchers that other administrators made and that were deleted. */
  deletedOfOthers: string[]
  /** The number of unrecorded vouchers that a site reports as probably ours, by site id. All other sites must have none. */
  reported: Map<number, number>
  /** Ids of vouchers in notifications that the sink acknowledged. */
  notified: Set<string>
  unsettled: number
  /** The key is the id of the batch. */
  batches: Map<string, { finished: boolean; size: number; made: number; failed: number }>
  /** Names of all vouchers that any controller was asked to create. */
  askedNames: Set<string>
}

export type LimitedKey = { limit: number; windows: number; storeLosses: number }
