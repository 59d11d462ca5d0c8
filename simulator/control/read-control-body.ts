import type { Behaviour } from '../behaviour.ts'
import { type Fault, faultKinds, faultTargets } from '../faults/fault-queue.ts'
import { isIntegerWithin, type JsonObject } from '../http/json.ts'
import { readMac } from '../store/guests.ts'
import type { Site } from '../store/voucher.ts'
import type { VoucherStore } from '../store/voucher-store.ts'

/** The test that called `/control` sent something invalid. */
export class ControlError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const neverExpire = Number.POSITIVE_INFINITY

/** `expireSessionsAfter` is how many more requests find their session; undefined when the body does not say. */
export function readBehaviour(body: JsonObject): { changes: JsonObject; expireSessionsAfter: number | undefined } {
  for (const [member, value] of Object.entries(body)) {
    if (!Object.hasOwn(checks, member)) throw new ControlError(400, `'${member}' is not known`)
    const { allows, words } = checks[member as keyof typeof checks]
    if (!allows(value)) throw new ControlError(400, `'${member}' must be ${words}`)
  }
  const { expireSessions, ...changes } = body
  if (typeof expireSessions === 'boolean') return { changes, expireSessionsAfter: expireSessions ? 0 : neverExpire }
  return { changes, expireSessionsAfter: typeof expireSessions === 'number' ? expireSessions : undefined }
}

type Check = { allows(value: unknown): boolean; words: string }

const maxCount = 1_000_000
const flag: Check = { allows: (value) => typeof value === 'boolean', words: 'true or false' }
const oneOf = (...words: string[]): Check => ({
  allows: (value) => words.some((word) => word === value),
  words: `one of ${words.map((word) => `"${word}"`).join(', ')}`,
})
const flagOrCount: Check = {
  allows: (value) => typeof value === 'boolean' || isIntegerWithin(value, 0, maxCount),
  words: 'true, false or a number of requests',
}

const checks: Record<keyof Behaviour | 'expireSessions', Check> = {
  booting: flag,
  hang: flag,
  mfa: flag,
  readOnly: flag,
  noSites: flag,
  oldController: flag,
  nullNotes: { allows: (value) => typeof value === 'boolean' || value === 'absent', words: 'true, false or "absent"' },
  emptyDeletes: { allows: (value) => value === false || value === 200 || value === 204, words: 'false, 200 or 204' },
  adminName: { allows: (value) => typeof value === 'string' || value === null, words: 'a name or null' },
  stringQuota: flag,
  emptyNotes: oneOf('absent', 'empty', 'null'),
  qosOverwriteFalse: flag,
  refuseNullLimits: flag,
  refuseLongDurations: flag,
  unit3600: oneOf('minutes', 'day'),
  apiKeyOnClassic: flag,
  guestsNameVoucher: flag,
  forgetUnauthorized: flag,
  guestsWithoutExpired: flag,
  gzipUnlabelled: flag,
  sortNewestFirst: flag,
  csrfWith401: flag,
  gateway403: flag,
  rotateCsrf: flagOrCount,
  csrfIn: oneOf('both', 'header', 'cookie', 'nowhere'),
  strictCsrf: flag,
  version: {
    allows: (value) => typeof value === 'string' && /^\d+(\.\d+)+$/.test(value),
    words: 'a version such as "9.1.120"',
  },
  expireSessions: flagOrCount,
}

const slowKinds = ['slow', 'slow-drip']
const slowDelayMs = 1000

export function readFault({ on, kind, times = 1, delayMs, mac, ...unknown }: JsonObject): Fault {
  const target = faultTargets.find((known) => known === on)
  if (!target) throw new ControlError(400, `'on' must be one of ${faultTargets.join(', ')}`)
  const knownKind = faultKinds.find((known) => known === kind)
  if (!knownKind) throw new ControlError(400, `'kind' must be one of ${faultKinds.join(', ')}`)
  if (!isIntegerWithin(times, 1, maxCount)) throw new ControlError(400, "'times' must be an integer of at least 1")
  const delay = delayMs ?? (slowKinds.includes(knownKind) ? slowDelayMs : 0)
  if (!isIntegerWithin(delay, 0, 600_000)) throw new ControlError(400, "'delayMs' must be an integer up to 600000")
  const device = readMac(mac)
  if (mac !== undefined && device === undefined) throw new ControlError(400, "'mac' must be a MAC address")
  const [first] = Object.keys(unknown)
  if (first !== undefined) throw new ControlError(400, `'${first}' is not known`)
  return { on: target, kind: knownKind, times, delayMs: delay, ...(device !== undefined && { mac: device }) }
}

/** Undefined when the body names no site. */
export function findSite(store: VoucherStore, { siteId, internalReference }: JsonObject): Site | undefined {
  if (siteId === undefined && internalReference === undefined) return undefined
  const site = store.sites.find(({ id, internalReference: slug }) => id === siteId || slug === internalReference)
  if (!site) throw new ControlError(404, 'There is no such site')
  return site
}
