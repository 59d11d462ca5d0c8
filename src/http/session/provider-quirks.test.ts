import { expect, test } from 'vitest'
import { createCookieJar } from '#test/network/cookie-jar.ts'
import { mapGroups, startSignOn } from '#test/single-sign-on.ts'

const { app, provider, ...signOn } = await startSignOn([
  { sub: 'anna', email: 'anna@adler.example', name: 'Anna Weber', groups: ['empfang'] },
])
await mapGroups(app, { empfang: { role: 'desk' } })

test('an auth_time of 0 means that the provider does not know it', async () => {
  const jar = createCookieJar()
  await signOn.signIn(jar)
  provider.rewriteToken = (token, sign) => sign({ ...token, claims: { ...token.claims, auth_time: 0 } })
  const again = await signOn.signIn(jar, '?purpose=again&next=/me')

  expect(again.headers.location).toBe('/me')
})

test('no sign-in leads to a provider that has stopped answering', async () => {
  expect((await signOn.signIn(createCookieJar())).headers.location).toBe('/')
  provider.isAway = true

  expect(await signOn.goToProvider(createCookieJar())).toBe(`${app.url}/sign-in?problem=provider_unreachable`)
})
