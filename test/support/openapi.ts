import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { openapiDocument as openapiDocumentV1 } from '../../src/http/v1/openapi.ts'
import { openapiDocument as openapiDocumentV2 } from '../../src/http/v2/kit/openapi.ts'
import { operations } from '../../src/http/v2/register-v2.ts'
import type { Answer } from './network/http-client.ts'

/**
 * Another test checks the documents themselves. Compiling all schemas of API v2 takes 0.5 s of processor time with these options and
 * 1.3 s with those of Ajv, in each process of a run.
 */
const options = { strict: false, allErrors: true, validateSchema: false, code: { optimize: false } }

const documentV1 = openapiDocumentV1('http://localhost/api')
const ajvV1 = new Ajv(options)
addFormats.default(ajvV1)
// OpenAPI 3.0 uses `nullable`, which JSON Schema does not have but Ajv supports.
ajvV1.addSchema({ $id: 'v1', ...documentV1 })

const compiledV1 = compileOnce(ajvV1, 'v1', documentV1)

const isErrorBody = ajvV1.compile({
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string', pattern: '^[a-z_]+$' }, message: { type: 'string', minLength: 1 } },
  additionalProperties: false,
})

/** A documented status must have the documented body. Every failure must have the common shape of errors. */
export function checkAgainstV1(method: string, path: string, answer: Answer): void {
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  if (method === 'HEAD') {
    expect(answer.text).toBe('')
    return
  }
  const body = answer.json()
  const pointer = documentedSchemaV1(method, path, answer.status)
  if (pointer !== undefined) expectValid(compiledV1(pointer), body)
  if (answer.status >= 400) expectValid(isErrorBody, body)
}

function documentedSchemaV1(method: string, path: string, status: number): string | undefined {
  const file = new URL(path, 'http://localhost').pathname.replace(/^\/api/, '')
  const operation = (documentV1.paths as any)[file]?.[method.toLowerCase()]
  if (operation?.responses[status] === undefined) return undefined
  return `/paths/${file.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
}

/**
 * Keeps compiled schemas, because compiling one takes longer than the request whose answer it checks. A schema that only refers to
 * another one is compiled where it leads: nearly all failures are the same `Problem`.
 */
function compileOnce(ajv: Ajv, id: string, document: object): (pointer: string) => ValidateFunction {
  const compiled = new Map<string, ValidateFunction>()
  return (pointer) => {
    const target = targetOf(document, pointer)
    const validate = compiled.get(target) ?? ajv.compile({ $ref: `${id}#${target}` })
    compiled.set(target, validate)
    return validate
  }
}

function targetOf(document: object, pointer: string): string {
  const names = pointer.split('/').slice(1)
  const schema = names.reduce<any>(
    (node, name) => node?.[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
  const { $ref, ...more } = schema ?? {}
  return $ref?.startsWith('#') && Object.keys(more).length === 0 ? targetOf(document, $ref.slice(1)) : pointer
}

function expectValid(validate: ValidateFunction, body: unknown): void {
  if (!validate(body)) expect(validate.errors, JSON.stringify(body)).toEqual([])
}

const documentV2 = openapiDocumentV2(operations)
const ajvV2 = new Ajv2020(options)
addFormats.default(ajvV2 as any)
ajvV2.addSchema({ $id: 'v2', ...documentV2 })
const compiledV2 = compileOnce(ajvV2, 'v2', documentV2)

const csv = 'text/csv; charset=utf-8'

/** Every answer of API v2 must have a documented status and body. Unknown operations must get a `Problem`. */
export function checkAgainstV2(method: string, path: string, answer: Answer, hasCookie: boolean): void {
  const { status, headers, text } = answer
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  if (status === 304) {
    expect([text, headers.etag, headers['content-length']]).toEqual(['', expect.any(String), undefined])
    return
  }
  const name = operationPath(new URL(path, 'http://localhost').pathname.slice('/api/v2'.length))
  if (name === '/openapi.json' && status === 200) return
  const isRead = method === 'GET' || method === 'HEAD'
  const mayStore = isRead && status === 200 && !hasCookie && headers['content-type'] !== csv // a CSV file has no ETag
  expect(headers['cache-control']).toBe(mayStore ? 'private, no-cache' : 'no-store')
  if (method === 'HEAD') return
  const documented = (documentV2.paths as any)[name ?? '']?.[method.toLowerCase()]
  if (documented !== undefined && status !== 405) {
    expect(documented.responses).toHaveProperty(String(status))
    const sent = describedHeaders.filter((each) => headers[each.toLowerCase()] !== undefined)
    const unexpected = sent.filter((each) => documented.responses[status].headers[each] === undefined)
    expect(unexpected, `${method} ${name} ${status}`).toEqual([])
  }
  if (status === 204) {
    expect([text, headers['content-type']]).toEqual(['', undefined])
    return
  }
  const types = Object.keys((status === 405 ? undefined : documented?.responses[status])?.content ?? {})
  if (types.some((type) => type.startsWith('image/') || ['application/zip', 'application/pdf'].includes(type))) {
    expect(types).toContain(headers['content-type'])
    return
  }
  const isCsv = types.includes('text/csv')
  expect(headers['content-type']).toBe(`${isCsv ? 'text/csv' : 'application/json'}; charset=utf-8`)
  if (isCsv) return
  const pointer =
    documented === undefined || status === 405
      ? '/components/schemas/Problem'
      : `/paths/${escaped(name as string)}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
  expectValid(compiledV2(pointer), answer.json())
  if (status >= 400) expect(answer.json().request_id).toBe(headers['x-request-id'])
}

/** The errors of a value according to the schema at this place of the document; an empty list if it is valid. */
export function errorsInV2(path: string, place: string, mediaType: string, value: unknown): unknown[] {
  const pointer = `/paths/${escaped(path)}/${place}/content/${mediaType.replace('/', '~1')}/schema`
  const validate = compiledV2(pointer)
  return validate(value) ? [] : (validate.errors ?? [])
}

const describedHeaders = Object.keys(documentV2.components.headers)

const matchers = new Map(
  ['/openapi.json', ...Object.keys(documentV2.paths)].map((name) => [
    name,
    new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}$`),
  ]),
)

function operationPath(path: string): string | undefined {
  if (matchers.has(path)) return path
  for (const [name, matcher] of matchers) if (matcher.test(path)) return name
  return undefined
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll('/', '~1'))
}
