import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'

const app = await startApp()
const url = '/api/v2/openapi.json'

test('it is valid OpenAPI 3.1 by a validator', async () => {
  const document = (await app.call(url)).json()

  expect(await new Validator().validate(document)).toEqual({ valid: true })
  expect(document.openapi).toBe('3.1.0')
})

test('it is the committed document', async () => {
  await expect(`${(await app.call(url)).text}\n`).toMatchFileSnapshot('openapi.snapshot.json')
})

test('200 without a key and without a limit; 304 for a client that has it already', async () => {
  const answer = await app.call(url)

  expect(answer.status).toBe(200)
  expect(answer.headers).not.toHaveProperty('ratelimit')
  expect((await app.call(url, { headers: { 'if-none-match': answer.headers.etag as string } })).status).toBe(304)
})

test('405: any other method, without a key', async () => {
  const answer = await app.call(url, { method: 'POST' })

  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
})
