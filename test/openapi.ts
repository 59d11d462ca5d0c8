import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { openapiDocument } from '../src/http/v1/openapi-document.ts'
import type { Answer } from './http-client.ts'

const document = openapiDocument('http://localhost/api')
const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
// JSON Schema has no `nullable`; Ajv does, for OpenAPI 3.0.
ajv.addSchema({ $id: 'document', ...document })

const errorBody = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string', pattern: '^[a-z_]+$' }, message: { type: 'string', minLength: 1 } },
  additionalProperties: false,
}

/** Every documented status has the documented body; every other failure has the one shape of errors. */
export function checkAgainstDocument(method: string, path: string, answer: Answer): void {
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  if (method === 'HEAD') {
    expect(answer.text).toBe('')
    return
  }
  const body = answer.json()
  const pointer = documentedSchema(method, path, answer.status)
  if (pointer !== undefined) validate({ $ref: `document#${pointer}` }, body)
  if (answer.status >= 400) validate(errorBody, body)
}

function documentedSchema(method: string, path: string, status: number): string | undefined {
  const file = new URL(path, 'http://localhost').pathname.replace(/^\/api/, '')
  const operation = (document.paths as any)[file]?.[method.toLowerCase()]
  if (operation?.responses[status] === undefined) return undefined
  return `/paths/${file.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
}

function validate(schema: object, body: unknown): void {
  const valid = ajv.validate(schema, body)
  expect(valid ? [] : ajv.errors, JSON.stringify(body)).toEqual([])
}
