/** A voucher that a client was given. `voucher` is its site and code; the times are those of the request, by the clock of the target. */
type Acknowledged = { voucher: string; siteId: number; name: string; startedAt: number; endedAt: number }

/** What clients saw before and after the target of a restore, and what there is afterwards. */
export type Ledger = {
  target: number
  acknowledged: Acknowledged[]
  revoked: { voucher: string; askedAt: number; doneAt: number }[]
  /** The record right after the restore, before the service runs. */
  restored: { voucher: string; status: string }[]
  /** The vouchers that `reconcile` lists, and those that are on a controller and not in the record. */
  listed: string[]
  onlyOnControllers: string[]
  /** When each notification was accepted. */
  accepted: Map<string, number[]>
}

type Listed = Pick<Ledger, 'target' | 'acknowledged' | 'listed' | 'onlyOnControllers'>
type Recorded = Pick<Ledger, 'target' | 'acknowledged' | 'revoked' | 'restored'>

/** Returns what is wrong with the restored record: nothing from before the target may be missing, and nothing later may be there. */
export function checkRecord({ target, acknowledged, revoked, restored }: Recorded): string[] {
  const stateOf = new Map(restored.map(({ voucher, status }) => [voucher, status]))
  const isMissing = ({ voucher, endedAt }: Acknowledged) => endedAt < target && !stateOf.has(voucher)
  const isTooLate = ({ voucher, startedAt }: Acknowledged) => startedAt > target && stateOf.has(voucher)
  return [
    ...acknowledged.filter(isMissing).map(({ voucher }) => `${voucher} from before the target is missing`),
    ...acknowledged.filter(isTooLate).map(({ voucher }) => `${voucher} from after the target is recorded`),
    ...listTwice(restored.map(({ voucher }) => voucher)).map((voucher) => `${voucher} is recorded twice`),
    ...revoked.flatMap(({ voucher, askedAt, doneAt }) => {
      const state = stateOf.get(voucher)
      if (doneAt < target && state !== 'revoked') return [`${voucher} was revoked before the target, and is ${state}`]
      return askedAt > target && state !== undefined ? [`${voucher} was revoked after the target, and is ${state}`] : []
    }),
  ]
}

/**
 * Returns what is wrong with the list of `reconcile`. It may leave out vouchers with the same name as a creation that was under way at the
 * target: its outcome is unknown while the service is held.
 */
export function checkListed({ target, acknowledged, listed, onlyOnControllers }: Listed): string[] {
  const guest = ({ siteId, name }: Acknowledged) => `${siteId} ${name}`
  const underWay = new Set(
    acknowledged.filter(({ startedAt, endedAt }) => startedAt <= target && endedAt >= target).map(guest),
  )
  const mayLack = new Set(acknowledged.filter((each) => underWay.has(guest(each))).map(({ voucher }) => voucher))
  const isUnlisted = (voucher: string) => !listed.includes(voucher) && !mayLack.has(voucher)
  const after = acknowledged.filter(({ startedAt }) => startedAt > target).map(({ voucher }) => voucher)
  return [
    ...[...new Set([...after, ...onlyOnControllers])].filter(isUnlisted).map((voucher) => `${voucher} is not listed`),
    ...listed
      .filter((voucher) => !onlyOnControllers.includes(voucher))
      .map((voucher) => `${voucher} is listed, although it is recorded or on no controller`),
    ...listTwice(listed).map((voucher) => `${voucher} is listed twice`),
  ]
}

/** Returns the notifications that were sent too often: only what was waiting at the target is sent again, and once. */
export function checkAccepted({ target, accepted }: Pick<Ledger, 'target' | 'accepted'>): string[] {
  return [...accepted].flatMap(([id, [first = 0, ...more]]) => {
    if (more.length > 1) return [`${id} was sent ${more.length + 1} times`]
    return more.length === 1 && first < target ? [`${id} was sent before the target, and again`] : []
  })
}

function listTwice(all: string[]): string[] {
  return [...new Set(all.filter((each, i) => all.indexOf(each) < i))]
}
