import { expect, test } from 'vitest'
import { openapiDocument } from '../../src/http/v2/kit/openapi.ts'
import { operations } from '../../src/http/v2/register-v2.ts'
import { generateTypes } from './generate-types.ts'

test('the committed types are those of the document; otherwise run `npm run client:types`', async () => {
  await expect(generateTypes(openapiDocument(operations))).toMatchFileSnapshot('../voucher-api.generated.ts')
})

/** The generated source of one operation. */
function generated(operation: object, schemas: Record<string, unknown> = {}): string {
  const described = { operationId: 'getIt', summary: 'Get it', parameters: [], responses: { 200: {} }, ...operation }
  return generateTypes({ paths: { '/it/{id}': { get: described } }, components: { schemas } })
}

test('types follow their schemas', () => {
  const Thing = {
    type: 'object',
    required: ['id', 'kind'],
    properties: {
      id: { type: 'integer' },
      kind: { enum: ['a', 'b'], description: 'The kind */ of it.' },
      note: { type: ['string', 'null'], maxLength: 5 },
      parts: { type: 'array', items: { anyOf: [{ $ref: '#/components/schemas/Part' }, { type: 'null' }] } },
      free: { type: 'object' },
      by_name: { type: 'object', additionalProperties: { type: 'boolean' } },
    },
  }

  expect(generated({}, { Thing })).toContain(`export type Thing = {
  id: number
  /** The kind * / of it. */
  kind: "a" | "b"
  note?: string | null
  parts?: Array<Part | null>
  free?: Record<string, unknown>
  by_name?: Record<string, boolean>
}`)
})

test('a method takes the ids of the path, then a required Idempotency-Key, then the query', () => {
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string' } },
    { name: 'limit', in: 'query', schema: { type: 'integer' } },
  ]

  expect(generated({ parameters })).toContain(
    'getIt(id: string | number, idempotencyKey: string, query?: {\n    limit?: number\n  }, options?: CallOptions): Promise<void>',
  )
})

test('a file is a Blob, as a body and as an answer', () => {
  const content = { 'image/png': { schema: { type: 'string', format: 'binary' } } }

  const source = generated({ requestBody: { content }, responses: { 200: { content } } })

  expect(source).toContain('getIt(body: Blob, options?: CallOptions): Promise<Blob>')
  expect(source).toContain("input: 'file'")
})

test.each([
  ['a keyword that it cannot translate', {}, { Thing: { oneOf: [] } }, 'The keyword oneOf is new'],
  ['a type that it cannot translate', {}, { Thing: { type: 'date' } }, 'The type date is new'],
  ['another header', { parameters: [{ name: 'If-Match', in: 'header', schema: {} }] }, {}, 'has the header If-Match'],
  [
    'a query beside a body',
    {
      parameters: [{ name: 'a', in: 'query', schema: {} }],
      requestBody: { content: { 'application/json': { schema: {} } } },
    },
    {},
    'has a query and a body',
  ],
])('%s is an error', (_, operation, schemas, message) => {
  expect(() => generated(operation, schemas)).toThrow(message)
})
