import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { errorsInV2 } from '#test/openapi.ts'
import { openapiDocument } from './kit/openapi.ts'
import { operations } from './register-v2.ts'

const app = await startApp()
const url = '/api/v2/openapi.json'
const { paths, components } = openapiDocument(operations)

test('a validator accepts the document as OpenAPI 3.1', async () => {
  const document = (await app.call(url)).json()

  expect(await new Validator().validate(document)).toEqual({ valid: true })
  expect(document.openapi).toBe('3.1.0')
})

test('a linter finds nothing', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = (await app.call(url)).text
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })

  expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
})

test.each(operations)('$operationId: its examples are complete and fit their schemas', (operation) => {
  const { method, path, body, status } = operation
  const described = paths[path]?.[method.toLowerCase()] as any
  const examples = [
    ...(body ? [['requestBody', described.requestBody]] : []),
    ...(status === 204 ? [] : [[`responses/${status}`, described.responses[status]]]),
  ]
  for (const [place, { content }] of examples)
    for (const [mediaType, { schema, example }] of Object.entries<any>(content)) {
      if (schema.format === 'binary') continue // a file has no example
      expect(example).toBeDefined()
      expect(errorsInV2(path, `${method.toLowerCase()}/${place}`, mediaType, example)).toEqual([])
    }
  for (const { name, in: place, description } of described.parameters)
    if (place !== 'query') expect([name, description]).toEqual([name, expect.any(String)])
})

test('operationIds make method names: a verb of a small set, then the noun', () => {
  const verbs =
    /^(list|get|search|check|create|update|delete|erase|lookUp|revoke|roll|cancel|retry|export|import|sync|subscribe|unsubscribe|test|enable|rotate|replay)[A-Z]?/

  expect(operations.map(({ operationId }) => operationId).filter((id) => !verbs.test(id))).toEqual([])
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
})

test('no field of a request body has a default, because generated clients would require the field', () => {
  const { schemas } = components
  const requested = operations.flatMap(({ body }) => (body ? [(body as any).title] : []))

  expect(requested).toContain('VoucherCreation')
  for (const title of requested) expect(JSON.stringify(schemas[title])).not.toContain('"default":')
})

test('a GET lists no failure that only a body or a change can cause', () => {
  const gets = operations.filter(({ method }) => method === 'GET')
  const listing = (status: string) =>
    gets.filter(({ path }) => Object.hasOwn((paths[path] as any).get.responses, status)).map((each) => each.operationId)

  expect([listing('413'), listing('409')]).toEqual([
    [],
    ['listControllerSites', 'getSlip', 'getSlipPicture', 'getBatchSlips'],
  ])
})

test('the document is the committed one', async () => {
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
