/** What a test may switch while the simulator runs. */
export type Behaviour = {
  /** Everything is answered with an HTML 502. */
  booting: boolean
  /** A sign-in with the right password needs a second factor. */
  mfa: boolean
  /** The administrator may look, but not create or delete. */
  readOnly: boolean
  /** Used single-use vouchers vanish from the classic list; errors of sign-in as on old firmware. */
  oldController: boolean
  nullNotes: boolean | 'absent'
  stringQuota: boolean
  /** True, or how many of the next answers give a new CSRF token. */
  rotateCsrf: boolean | number
  /** Where a CSRF token is given: in headers, in the claims of a fresh TOKEN cookie, or both. */
  csrfIn: 'both' | 'header' | 'cookie'
  version: string
}

export const defaultBehaviour: Readonly<Behaviour> = {
  booting: false,
  mfa: false,
  readOnly: false,
  oldController: false,
  nullNotes: false,
  stringQuota: false,
  rotateCsrf: false,
  csrfIn: 'both',
  version: '10.3.55',
}
