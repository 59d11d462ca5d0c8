import { writeFileSync } from 'node:fs'
import type { JsonSchema } from '../../src/http/v2/kit/json-schema.ts'

type Parameter = { name: string; in: string; required?: boolean; schema: JsonSchema; description?: string }
type Content = Record<string, { schema: JsonSchema }>
type DescribedOperation = {
  operationId: string
  summary: string
  parameters: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
type Document = { paths: Record<string, Record<string, unknown>>; components: { schemas: Record<string, unknown> } }

/** The TypeScript source with a type for each schema of the document, a method and a table entry for each operation. */
export function generateTypes(document: Document): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      readOperation(method.toUpperCase(), path, operation as DescribedOperation),
    ),
  )
  const schemas = Object.entries(document.components.schemas as Record<string, JsonSchema>)
  return `${[
    '// Made from the OpenAPI document by `npm run client:types`. Do not edit.',
    `import type { CallOptions } from './voucher-client.ts'`,
    ...schemas.map(([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)}`),
    `/** The operations of API v2 as methods. */\nexport interface VoucherApi ${block(operations.map(signature))}`,
    `/** The facts of an operation that the client needs to send it. */\nexport type Operation = ${block([
      'method: string',
      'path: string',
      `input?: 'body' | 'file' | 'query'`,
      `idempotencyKey?: 'accepted' | 'required'`,
    ])}`,
    `export const operations: Record<keyof VoucherApi, Operation> = ${tableOf(operations)}`,
  ].join('\n\n')}\n`
}

function readOperation(method: string, path: string, operation: DescribedOperation) {
  const { operationId, summary, parameters, requestBody, responses } = operation
  const at = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const [query, headers] = [at('query'), at('header')]
  const [mediaType, { schema: body } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (query.length > 0 && body)
    throw new Error(`${operationId} has a query and a body. The client sends only one of them.`)
  const unknown = headers.filter(({ name }) => name !== 'Idempotency-Key')
  if (unknown.length > 0)
    throw new Error(`${operationId} has the header ${unknown[0]?.name}, which the client cannot send.`)
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  return {
    operationId,
    summary,
    method,
    path,
    pathNames: at('path').map(({ name }) => name),
    query,
    body,
    isFile: mediaType !== 'application/json',
    idempotencyKey: headers[0] && (headers[0].required ? ('required' as const) : ('accepted' as const)),
    answer: Object.values(success?.content ?? {})[0]?.schema,
  }
}
type ReadOperation = ReturnType<typeof readOperation>

/**
 * Arguments are the ids of the path in their order, then an Idempotency-Key if it is required, then the body or the query,
 * then the options of the call.
 */
function signature({ operationId, summary, pathNames, query, body, idempotencyKey, answer }: ReadOperation): string {
  const queryType = block(
    query.map(({ name, required, schema, description }) =>
      member(name, required, { ...schema, ...about(description) }),
    ),
  )
  const isQueryOptional = query.every(({ required }) => !required)
  const parameters = [
    ...pathNames.map((name) => `${name}: string | number`),
    ...(idempotencyKey === 'required' ? ['idempotencyKey: string'] : []),
    ...(body ? [`body: ${typeOf(body)}`] : []),
    ...(query.length > 0 ? [`query${isQueryOptional ? '?' : ''}: ${queryType}`] : []),
    'options?: CallOptions',
  ]
  return `${comment(summary)}${operationId}(${parameters.join(', ')}): Promise<${answer ? typeOf(answer) : 'void'}>`
}

function tableOf(operations: ReadOperation[]): string {
  const entries = operations.map(({ operationId, method, path, query, body, isFile, idempotencyKey }) => {
    const input = body ? (isFile ? 'file' : 'body') : query.length > 0 ? 'query' : undefined
    const members = Object.entries({ method, path, input, idempotencyKey }).filter(([, value]) => value !== undefined)
    return `${operationId}: { ${members.map(([name, value]) => `${name}: '${value}'`).join(', ')} },`
  })
  return block(entries)
}

/** Keywords that narrow values without changing their TypeScript type. */
const silent =
  /^(description|default|examples?|pattern|min(Length|imum|Items|Properties)|max(Length|imum|Items)|uniqueItems|readOnly|writeOnly|deprecated)$/
const read = [
  '$ref',
  'type',
  'format',
  'enum',
  'const',
  'anyOf',
  'items',
  'properties',
  'required',
  'additionalProperties',
]

function typeOf(schema: JsonSchema): string {
  const unknown = Object.keys(schema).find((keyword) => !read.includes(keyword) && !silent.test(keyword))
  if (unknown) throw new Error(`The keyword ${unknown} is new in the document. Teach it to client/generator.`)
  if (schema.$ref) return schema.$ref.slice('#/components/schemas/'.length)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return unionOf(schema.enum.map((value) => JSON.stringify(value)))
  if (schema.anyOf) return unionOf(schema.anyOf.map(typeOf))
  if (schema.type === undefined) return 'unknown'
  return unionOf([schema.type].flat().map((type) => plainTypeOf(type, schema)))
}

function plainTypeOf(type: string, schema: JsonSchema): string {
  const { format, items, properties, required = [], additionalProperties } = schema
  if (type === 'string' && format === 'binary') return 'Blob'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || type === 'boolean' || type === 'null') return type
  if (type === 'array') return `Array<${items ? typeOf(items) : 'unknown'}>`
  if (type !== 'object') throw new Error(`The type ${type} is new in the document. Teach it to client/generator.`)
  if (typeof additionalProperties === 'object') return `Record<string, ${typeOf(additionalProperties)}>`
  const members = Object.entries(properties ?? {})
  return members.length === 0
    ? 'Record<string, unknown>'
    : block(members.map(([name, schema]) => member(name, required.includes(name), schema)))
}

function member(name: string, required: boolean | undefined, schema: JsonSchema): string {
  return `${comment(schema.description)}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)}`
}

function unionOf(types: string[]): string {
  return [...new Set(types)].join(' | ')
}

function block(members: string[]): string {
  return `{\n${members.map((text) => text.replaceAll(/^/gm, '  ')).join('\n')}\n}`
}

function comment(text: string | undefined): string {
  return text ? `/** ${text.replaceAll('*/', '* /')} */\n` : ''
}

function about(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description }
}

if (import.meta.main) {
  const { openapiDocument } = await import('../../src/http/v2/kit/openapi.ts')
  const { operations } = await import('../../src/http/v2/register-v2.ts')
  writeFileSync(new URL('../voucher-api.generated.ts', import.meta.url), generateTypes(openapiDocument(operations)))
}
