import type { Behaviour } from '../behaviour.ts'
import { isIntegerWithin, type JsonObject } from '../http/json.ts'
import { ControlError } from './control-error.ts'

type Check = { allows(value: unknown): boolean; words: string }

export const neverExpire = Number.POSITIVE_INFINITY

const most = 1_000_000
const flag: Check = { allows: (value) => typeof value === 'boolean', words: 'true or false' }
const oneOf = (...words: string[]): Check => ({
  allows: (value) => words.some((word) => word === value),
  words: `one of ${words.map((word) => `"${word}"`).join(', ')}`,
})
const flagOrCount: Check = {
  allows: (value) => typeof value === 'boolean' || isIntegerWithin(value, 0, most),
  words: 'true, false or a number of requests',
}

const checks: Record<keyof Behaviour | 'expireSessions', Check> = {
  booting: flag,
  hang: flag,
  mfa: flag,
  readOnly: flag,
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

/** `expireSessionsAfter` is how many more requests find their session; undefined: nothing was said about it. */
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
