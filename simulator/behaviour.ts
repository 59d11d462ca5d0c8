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
  /** The status of a deletion that is answered with no body; false: it has one. */
  emptyDeletes: false | 200 | 204
  /** The name in the vouchers of the account, where it is not the user name; null: it is. */
  adminName: string | null
  stringQuota: boolean
  /** How a voucher without a note is shown; the Integration API leaves the name out where the classic one has null. */
  emptyNotes: 'absent' | 'empty' | 'null'
  /** A classic voucher without limits says `qos_overwrite: false`, instead of nothing. */
  qosOverwriteFalse: boolean
  /** Creations with null for an optional limit are rejected. */
  refuseNullLimits: boolean
  /** Classic creations of more than 1,000,000 minutes are rejected. */
  refuseLongDurations: boolean
  /** What 3600 means as the unit of a classic duration. */
  unit3600: 'minutes' | 'day'
  /** A console takes the API key instead of a session on the paths of the classic API too. */
  apiKeyOnClassic: boolean
  /** Guests who came with a voucher have `voucher_id` and `voucher_code`. */
  guestsNameVoucher: boolean
  /** Answers of the Integration API are compressed, and no header says so. */
  gzipUnlabelled: boolean
  /** The list of the Integration API begins with the newest; its real order is not documented. */
  sortNewestFirst: boolean
  /** True, or how many of the next answers give a new CSRF token. */
  rotateCsrf: boolean | number
  /** Where a CSRF token is given: in headers, in a cookie, both, or nowhere; then none is wanted either. */
  csrfIn: 'both' | 'header' | 'cookie' | 'nowhere'
  /** A self-hosted application wants its CSRF token back, as consoles always do. */
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
