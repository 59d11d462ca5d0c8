import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { call } from '#test/network/http-client.ts'

const app = await startApp()

describe.each([
  ['/api/v2/openapi.json', 'Accept-Encoding'],
  ['/reference', 'Accept-Encoding'],
  ['/', 'Accept, Accept-Language, Accept-Encoding'],
])('%s', (path, vary) => {
  const get = (headers: Record<string, string> = {}, method = 'GET') => call(app.url + path, { method, headers })

  test('has compressed copies with the same content', async () => {
    const plain = await get()
    const [brotli, gzipped] = [await get({ 'accept-encoding': 'gzip, br' }), await get({ 'accept-encoding': 'gzip' })]

    const encodings = [plain, brotli, gzipped].map(({ headers }) => headers['content-encoding'])
    expect(encodings).toEqual([undefined, 'br', 'gzip'])
    expect(brotliDecompressSync(brotli.bytes)).toEqual(plain.bytes)
    expect(gunzipSync(gzipped.bytes)).toEqual(plain.bytes)
    expect(brotli.bytes.length).toBeLessThan(plain.bytes.length)
    for (const { headers } of [plain, brotli, gzipped])
      expect(headers).toMatchObject({ vary, 'cache-control': 'public, no-cache' })
  })

  test.each([{}, { 'accept-encoding': 'gzip' }, { 'accept-encoding': 'br' }])(
    'answers 304 to its own ETag, and only to that: %j',
    async (accepted: Record<string, string>) => {
      const got = await get(accepted)
      const again = await get({ ...accepted, 'if-none-match': got.headers.etag as string })
      const other = await get({ 'accept-encoding': 'identity', 'if-none-match': '"other"' })

      expect([again.status, again.text, again.headers['content-encoding']]).toEqual([304, '', undefined])
      expect([again.headers.etag, again.headers.vary]).toEqual([got.headers.etag, vary])
      expect(other.status).toBe(200)
    },
  )

  test('is the same whatever address the client uses, so that nobody can make the service render it again', async () => {
    const [here, elsewhere] = [await get(), await get({ host: 'elsewhere.example' })]

    expect(elsewhere.headers.etag).toBe(here.headers.etag)
    expect(elsewhere.bytes).toEqual(here.bytes)
  })

  test('HEAD has the headers of GET', async () => {
    const [got, head] = [await get({ 'accept-encoding': 'br' }), await get({ 'accept-encoding': 'br' }, 'HEAD')]

    expect(head.bytes.length).toBe(0)
    for (const name of ['etag', 'content-length', 'content-encoding', 'content-type'])
      expect(head.headers[name]).toBe(got.headers[name])
  })
})
