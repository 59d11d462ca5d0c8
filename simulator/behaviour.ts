/** What a test may switch while the simulator runs. */
export type Behaviour = {
  /** Everything is answered with an HTML 502. */
  booting: boolean
  /** Nothing is answered; set back, the requests that wait are closed. */
  hang: boolean
  /** A sign-in with the right password needs a second factor. */
  mfa: boolean
  /** The administrator may look, but not create or delete. */
  readOnly: boolean
  /** Used single-use vouchers vanish from the classic list; errors of sign-in as on old firmware. */
  oldController: boolean
  nullNotes: boolean | 'absent'
  /** The status of deletions that are answered without a body; false: deletions are answered with a body. */
  emptyDeletes: false | 200 | 204
  /** The administrator name in the account's vouchers; null: the user name. */
  adminName: string | null
  stringQuota: boolean
  /** How the classic API shows a voucher without a note. The Integration API has no name with `absent` and `null`. */
  emptyNotes: 'absent' | 'empty' | 'null'
  /** A classic voucher without limits has `qos_overwrite: false`; otherwise it has no `qos_overwrite`. */
  qosOverwriteFalse: boolean
  /** Creations with null for an optional limit are rejected. */
  refuseNullLimits: boolean
  /** Classic creations of more than 1,000,000 minutes are rejected. */
  refuseLongDurations: boolean
  /** The meaning of 3600 as the unit of a classic duration. */
  unit3600: 'minutes' | 'day'
  /** A console accepts the API key instead of a session on classic paths too. */
  apiKeyOnClassic: boolean
  /** Guests who used a voucher have `voucher_id` and `voucher_code`. */
  guestsNameVoucher: boolean
  /** Answers of the Integration API are compressed, and no header says so. */
  gzipUnlabelled: boolean
  /** The list of the Integration API begins with the newest; its real order is not documented. */
  sortNewestFirst: boolean
  /** True, or how many of the next answers give a new CSRF token. */
  rotateCsrf: boolean | number
  /** Where CSRF tokens are given: in headers, in a cookie, in both, or nowhere. With `nowhere`, none is required. */
  csrfIn: 'both' | 'header' | 'cookie' | 'nowhere'
  /** A self-hosted application requires its CSRF token, as consoles always do. */
  strictCsrf: boolean
  /** A 401 brings a CSRF token too, as consoles before 3.2 did: it signs nobody in. */
  csrfWith401: boolean
  /** A console answers a lost session and a stale CSRF token with its gateway's 403, as 3.2.7 and 3.2.12 do. */
  gateway403: boolean
  version: string
}

export const defaultBehaviour: Readonly<Behaviour> = {
  booting: false,
  hang: false,
  mfa: false,
  readOnly: false,
  oldController: false,
  nullNotes: false,
  emptyDeletes: false,
  adminName: null,
  stringQuota: false,
  emptyNotes: 'absent',
  qosOverwriteFalse: true,
  refuseNullLimits: false,
  refuseLongDurations: false,
  unit3600: 'minutes',
  apiKeyOnClassic: false,
  guestsNameVoucher: true,
  gzipUnlabelled: false,
  sortNewestFirst: false,
  rotateCsrf: false,
  csrfIn: 'both',
  strictCsrf: false,
  csrfWith401: false,
  gateway403: false,
  version: '10.3.55',
}
