const key = 'vs.signed-out'

/** Whether somebody signed out in this tab and nobody has signed in since. Then the sign-in page waits for a click. */
export function hasSignedOut(): boolean {
  return sessionStorage.getItem(key) !== null
}

export function rememberSignOut(): void {
  sessionStorage.setItem(key, 'true')
}

export function forgetSignOut(): void {
  sessionStorage.removeItem(key)
}
