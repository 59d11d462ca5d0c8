import { setGroupMapping } from '#domain/single-sign-on/map-groups.ts'
import { startApp, type TestApp } from './app.ts'
import { seedPerson, testActor } from './data/seed.ts'
import { type CookieJar, createCookieJar } from './network/cookie-jar.ts'
import type { Answer } from './network/http-client.ts'
import { type Account, type OidcProvider, startOidcProvider } from './network/oidc-provider.ts'

/** The address of the web app for the provider. The tests send what goes there to the app. */
export const publicUrl = 'http://localhost:18080'

const client = { clientId: 'vouchers', clientSecret: 'a secret that only this test knows' }

export type SignOn = {
  app: TestApp
  provider: OidcProvider
  /** Starts at `/sso/start` and returns the callback with which the provider sends the browser back. */
  goToProvider(jar: CookieJar, query?: string): Promise<string>
  /** Opens the callback. */
  comeBack(jar: CookieJar, callback: string): Promise<Answer>
  /** The whole way. */
  signIn(jar: CookieJar, query?: string): Promise<Answer>
  /** Signs in as this account, in a new browser. Returns where the browser is sent, and the token of the session. */
  signInAs(sub: string): Promise<{ location: string | undefined; session: string | undefined }>
}

/** Starts the service with a provider of its own. */
export async function startSignOn(accounts: Account[], env: Record<string, string> = {}): Promise<SignOn> {
  const provider = await startOidcProvider({ ...client, redirectUrl: `${publicUrl}/sso/callback`, accounts })
  const app = await startApp({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.clientId,
    OIDC_CLIENT_SECRET: client.clientSecret,
    OIDC_NAME: 'Company',
    PUBLIC_URL: publicUrl,
    ...env,
  })
  await seedPerson(app.db, { role: 'admin', email: 'first@example.com' })
  const signOn: SignOn = {
    app,
    provider,
    async goToProvider(jar, query = '') {
      const options = { headers: { 'sec-fetch-site': 'same-origin' } }
      const isOurs = (url: string) => url.startsWith(publicUrl) || url.startsWith(`${app.url}/sign-in`)
      return (await jar.follow(`${app.url}/sso/start${query}`, isOurs, options)).url
    },
    comeBack: (jar, callback) => jar.get(callback.replace(publicUrl, app.url)),
    signIn: async (jar, query) => signOn.comeBack(jar, await signOn.goToProvider(jar, query)),
    async signInAs(sub) {
      provider.current = sub
      const jar = createCookieJar()
      const { headers } = await signOn.signIn(jar)
      return { location: headers.location, session: sessionOf(app, jar) }
    },
  }
  return signOn
}

/** The token of the session that a browser has. */
export function sessionOf(app: TestApp, jar: CookieJar): string | undefined {
  return jar.cookies.get(new URL(app.url).host)?.get('voucher-session')
}

/** Gives a browser a session. */
export function plantSession(app: TestApp, jar: CookieJar, session: string): void {
  const { host } = new URL(app.url)
  jar.cookies.set(host, new Map([...(jar.cookies.get(host) ?? []), ['voucher-session', session]]))
}

type Groups = Record<string, { role: 'desk' | 'manager' | 'admin'; siteIds?: number[] }>

/** Replaces the table of groups. */
export function mapGroups({ db }: TestApp, groups: Groups, claim = 'groups'): Promise<void> {
  const rows = Object.entries(groups).map(([group, { role, siteIds = null }]) => ({ group, role, siteIds }))
  return setGroupMapping(db, testActor, { claim, groups: rows })
}
