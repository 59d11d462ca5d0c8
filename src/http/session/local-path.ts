/**
 * The path of our own web app to which a browser may be sent after a sign-in. Everything else becomes `/`: addresses of other
 * hosts, paths that browsers read as such (`//host`, `/\host`), and paths that are no pages.
 */
export function localPath(text: unknown): string {
  if (typeof text !== 'string' || text.length > 500 || !/^\/(?!\/)[\x21-\x7e]*$/.test(text) || text.includes('\\'))
    return '/'
  const base = 'http://local.invalid'
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined
  if (url?.origin !== base || /^\/(\/|sso(\/|$)|api(\/|$))/i.test(decoded(url.pathname))) return '/'
  return url.pathname + url.search + url.hash
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return '//' // rejected
  }
}

/** The path with a parameter that says what went wrong. */
export function withProblem(path: string, code: string): string {
  const url = new URL(path, 'http://local.invalid')
  url.searchParams.set('problem', code)
  return url.pathname + url.search
}
