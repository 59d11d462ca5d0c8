/** The switches that a test may set while the simulator runs. */
export type Behaviour = {
  /** Every request gets an HTML 502. */
  booting: boolean
  /** No request gets an answer. Switching this off closes the waiting connections. */
  hang: boolean
  /** A sign-in with the right password needs a second factor. */
  mfa: boolean
  /** The administrator may read, but not create or delete. */
  readOnly: boolean
  /** The API key of the Integration API sees no site. */
  noSites: boolean
  /** Used single-use vouchers disappear from the classic list. Errors of sign-in are those of old firmware. */
  oldController: boolean
  /** Notes are null or, with `absent`, missing. */
  nullNotes: boolean | 'absent'
  /** The status of a deletion that is answered without a body. With false, the answer has a body. */
  emptyDeletes: false | 200 | 204
  /** The administrator name in vouchers that the account creates; null means the user name. */
  adminName: string | null
  /** `qos_usage_quota` is a string. */
  stringQuota: boolean
  /** How the classic API shows a voucher without a note. With `absent` and `null`, the Integration API leaves out the name. */
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
  /** Guests whose authorisation was ended are no longer in the list. Otherwise the list has them as expired. */
  forgetUnauthorized: boolean
  /** Guests have no `expired`, only an `end`. */
  guestsWithoutExpired: boolean
  /** Answers of the Integration API are compressed, and no header says so. */
  gzipUnlabelled: boolean
  /** The list of the Integration API begins with the newest voucher. Its real order is not documented. */
  sortNewestFirst: boolean
  /** Answers give a new CSRF token: all of them, or this many of the next ones. */
  rotateCsrf: boolean | number
  /** The place of the CSRF token in answers. With `nowhere`, requests need none. */
  csrfIn: 'both' | 'header' | 'cookie' | 'nowhere'
  /** A self-hosted application requires its CSRF token, as consoles always do. */
  strictCsrf: boolean
  /** A 401 has a CSRF token too, as on consoles before 3.2. The token is not valid. */
  csrfWith401: boolean
  /** A console answers a lost session and a stale CSRF token with its gateway's 403, as 3.2.7 and 3.2.12 do. */
  gateway403: boolean
  /** The version of the Network Application. */
  version: string
}

export const defaultBehaviour: Readonly<Behaviour> = {
  booting: false,
  hang: false,
  mfa: false,
  readOnly: false,
  noSites: false,
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
  forgetUnauthorized: false,
  guestsWithoutExpired: false,
  gzipUnlabelled: false,
  sortNewestFirst: false,
  rotateCsrf: false,
  csrfIn: 'both',
  strictCsrf: false,
  csrfWith401: false,
  gateway403: false,
  version: '10.3.55',
}
