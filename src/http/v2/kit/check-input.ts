import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { DomainError } from '#domain/errors.ts'
import { type InvalidField, invalidFieldsOf, invalidRequest } from '../../errors/field-errors.ts'
import { isObject, readIdempotencyKey, readJson } from '../../server/read-request.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Operation } from './operation.ts'
import { fieldName, Repeated, validateBySchema } from './validate-by-schema.ts'

/**
 * Parses every body as JSON, whatever its Content-Type says; an upload is not parsed. An empty body counts as none, because
 * some clients send one with DELETE.
 */
export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    if (request.routeOptions.config.upload) return bytes
    if (bytes.length === 0) return undefined
    try {
      return readJson(bytes)
    } catch (cause) {
      throw new DomainError('body_unreadable', { cause })
    }
  })
}

type Input = { query: unknown; body: unknown; idempotencyKey: string | undefined }

/** The largest number of errors in one answer, so that a small request cannot cause a huge answer. */
const maxErrors = 50

/**
 * Reads the query, the body and the Idempotency-Key of an operation by its schemas. No value of a body is converted, and no
 * field is dropped. The error names every invalid field at once.
 */
export function createInputReader(operation: Operation): (request: FastifyRequest) => Input {
  const { query: querySchema = noFields, body: bodySchema, upload } = operation
  const checkQuery = createCheck(querySchema)
  const checkBody = createCheck(bodySchema ?? noFields)
  return ({ query: texts, body, headers }) => {
    const query = toQueryValues(querySchema, texts as QueryTexts)
    const hasBody = !upload && (bodySchema !== undefined || body !== undefined)
    if (hasBody && !isObject(body)) throw new DomainError('body_not_object')
    const key = tryToReadKey(operation, headers)
    const invalid = [...checkQuery(query), ...(hasBody ? checkBody(body) : []), ...key.invalid]
    if (invalid.length > 0) throw invalidRequest(...invalid.slice(0, maxErrors))
    return { query, body: upload ? (body ?? Buffer.alloc(0)) : body, idempotencyKey: key.idempotencyKey }
  }
}

const noFields = Type.Object({}, { additionalProperties: false })

/** TypeBox decides what is valid. `validateBySchema` explains it and applies the rules that no schema can express. */
function createCheck(schema: TObject): (value: unknown) => InvalidField[] {
  let compiled: ReturnType<typeof Compile> | undefined
  return (value) => {
    compiled ??= Compile(schema) // not at the start: few of all operations are used soon
    const invalid = validateBySchema(schema as JsonSchema, value)
    if (invalid.length > 0 || compiled.Check(value)) return invalid
    return [{ field: fieldName(compiled.Errors(value)[0]?.instancePath.split('/').slice(1) ?? []), code: 'bad_format' }]
  }
}

function tryToReadKey(
  { acceptsIdempotencyKey, asksAboutIdempotencyKey }: Operation,
  headers: IncomingHttpHeaders,
): { idempotencyKey: string | undefined; invalid: InvalidField[] } {
  if (!acceptsIdempotencyKey && !asksAboutIdempotencyKey) return { idempotencyKey: undefined, invalid: [] }
  try {
    const idempotencyKey = readIdempotencyKey(headers)
    const isMissing = asksAboutIdempotencyKey && idempotencyKey === undefined
    return { idempotencyKey, invalid: isMissing ? [{ field: 'Idempotency-Key', code: 'required' }] : [] }
  } catch (error) {
    return { idempotencyKey: undefined, invalid: invalidFieldsOf(error as DomainError) }
  }
}

type QueryTexts = Record<string, string | string[]>

/**
 * Converts the texts of a query to the types of the schema. A text that does not fit stays as it is and is rejected later.
 */
function toQueryValues({ properties }: TObject, texts: QueryTexts): Record<string, unknown> {
  const schemas = properties as Record<string, JsonSchema>
  const toValue = (name: string, text: string | string[]) =>
    Object.hasOwn(schemas, name) ? toQueryValue(schemas[name] as JsonSchema, text) : text
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, toValue(name, text)]))
}

function toQueryValue(schema: JsonSchema, text: string | string[]): unknown {
  if (schema.type === 'array') return [text].flat().map((each) => toQueryValue(schema.items ?? {}, each))
  if (Array.isArray(text)) return new Repeated()
  if (schema.type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (schema.type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return text
}
