import { setGroupMapping } from '#domain/single-sign-on/map-groups.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedPerson, seedSite, testActor } from '#test/data/seed.ts'
import { startOidcProvider } from '#test/network/oidc-provider.ts'
import { startWebApp } from '#test/web.ts'

export const password = 'correct horse battery staple'

/**
 * The web app with a provider of accounts, three sites and an administrator with a password. The provider has another host than the
 * app, like a real one, because browsers send cookies to all ports of a host.
 */
export async function startProviderApp({ name = 'Adler-Konto' } = {}) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const client = { clientId: 'vouchers', clientSecret: 'a secret that only this test knows' }
  const provider = await startOidcProvider({
    ...client,
    redirectUrl: `${url}/sso/callback`,
    accounts: [
      { sub: 'anna', email: 'anna.weber@adler.example', name: 'Anna Weber', groups: ['empfang-adler', 'alle'] },
      { sub: 'katrin', email: 'katrin.vogt@adler.example', name: 'Katrin Vogt', groups: ['wifi-admins'] },
      { sub: 'uwe', email: 'uwe@adler.example', name: 'Uwe Ende', groups: ['alle'] },
    ],
  })
  const settings = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.clientId,
    OIDC_CLIENT_SECRET: client.clientSecret,
    OIDC_NAME: name,
    PUBLIC_URL: url,
  }
  const app = await startWebApp(settings, { port })
  const hotel = await seedSite(app.db, { name: 'Hotel Goldener Adler' })
  const hall = await seedSite(app.db, { name: 'Kongresshalle' })
  const admin = await seedPerson(app.db, { role: 'admin', name: 'Notfall', email: 'notfall@adler.example', password })
  await setGroupMapping(app.db, testActor, {
    claim: 'groups',
    groups: [
      { group: 'wifi-admins', role: 'admin', siteIds: null },
      { group: 'haustechnik', role: 'manager', siteIds: [hotel, hall] },
      { group: 'empfang-adler', role: 'desk', siteIds: [hotel] },
    ],
  })
  return { app, url, provider, admin, hotel, hall }
}
