import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'

describe('with PUBLIC_URL over TLS and SECURITY_CONTACT', async () => {
  const app = await startApp({
    PUBLIC_URL: 'https://vouchers.example.com',
    SECURITY_CONTACT: 'security@example.com',
  })

  test.each(['/healthz', '/api/v2/session', '/api/vouchers.php', '/nowhere', '/reference'])(
    '%s tells browsers to use TLS only',
    async (path) => {
      const { headers } = await fetch(app.url + path)
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
    },
  )

  test('security.txt has the contact, an end in the future and its own address', async () => {
    const answer = await fetch(`${app.url}/.well-known/security.txt`)
    const text = await answer.text()
    const fields = new Map(text.trimEnd().split('\n').map((line) => line.split(/: (.*)/, 2) as [string, string])) // biome-ignore format: one line

    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(fields.get('Contact')).toBe('mailto:security@example.com')
    expect(fields.get('Canonical')).toBe('https://vouchers.example.com/.well-known/security.txt')
    const days = (Date.parse(fields.get('Expires') as string) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(30)
    expect(days).toBeLessThan(366) // RFC 9116: less than a year
  })

  test('other methods are rejected', async () => {
    const { status, headers } = await app.call('/.well-known/security.txt', { method: 'POST', body: '{}' })

    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD'])
  })
})

describe('without them', async () => {
  const app = await startApp()

  test('there is no security.txt, and browsers may use plain HTTP', async () => {
    const { status, headers } = await app.call('/.well-known/security.txt')

    expect([status, headers['strict-transport-security']]).toEqual([404, undefined])
  })
})

test.each(['security', 'http://example.com', 'a@b\nContact: mailto:x@example.com', 'https://a b'])(
  'SECURITY_CONTACT %j is rejected',
  async (SECURITY_CONTACT) => {
    await expect(startApp({ SECURITY_CONTACT })).rejects.toThrow('SECURITY_CONTACT')
  },
)
