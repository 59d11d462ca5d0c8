import type { FastifyInstance } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { registerPublicPage } from '../../server/public-page.ts'
import { staticAnswerOnDemand } from '../../server/static-answer.ts'
import { problemSchema } from '../errors/problem-schema.ts'
import { exampleOf } from './examples.ts'
import { binary, fileTypesOf } from './files/file-answer.ts'
import type { Upload } from './files/upload.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Operation } from './operation.ts'
import { hasEtag, headers, headersOf } from './response-headers.ts'

/** GET /api/v2/openapi.json. */
export function registerOpenapi(app: FastifyInstance, operations: Operation[]): void {
  const render = () => JSON.stringify(openapiDocument(operations), null, 2)
  const answer = staticAnswerOnDemand(render, { 'cache-control': 'public, no-cache' })
  registerPublicPage(app, { url: '/openapi.json', render: answer })
}

type Schema = { [member: string]: unknown }

/** The OpenAPI 3.1 document of these operations, made from the same schemas that check requests. */
export function openapiDocument(operations: Operation[]) {
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Voucher Service API v2',
      version: '2.0.0',
      description: 'Fields may be added, but none are removed. Ignore unknown fields.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/api/v2' }],
    tags: tagsOf(operations),
    paths,
    components: {
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer' },
        apiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        sessionCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-voucher-session',
          description:
            'The cookie of a person who signed in. Requests other than GET and HEAD need the Origin of the web app and Content-Type application/json, or for an upload the type of the file. Without TLS, the cookie is called voucher-session.',
        },
      },
      headers,
      schemas,
    },
  }
}

/** A description for each tag. */
const abouts: Record<string, string> = {
  session: 'Sign in and out. For the web app.',
  setup: 'The first administrator. For the web app.',
  'password-links': 'One-time links to set a password. For the web app.',
  me: 'The API key or the person of the request.',
  staff: 'The people who sign in. For the web app.',
  overview: 'Problems that need attention, and how many vouchers were issued and redeemed.',
  hold: 'Whether the service is held. While it is held, it creates and revokes no vouchers.',
  settings: 'Settings of the whole installation: the house, and which roles need a second factor.',
  guests: 'Find, export and erase the data of guests. For administrators and manage keys.',
  erasures: 'The receipts of erasures. They have no names.',
  sites: 'Sites, and whether their controllers answer.',
  controllers: 'The systems that create the vouchers. For manage keys.',
  templates: 'Named durations and limits for new vouchers.',
  vouchers: 'Create, find, look up and withdraw single vouchers.',
  batches: 'Many vouchers with the same limits, created in the background.',
  revocations: 'Withdraw vouchers, and follow the progress.',
  webhooks: 'Addresses that get events. For manage keys.',
  audit: 'Who did what. For administrators.',
  keys: 'API keys. For administrators in the web app.',
}

function tagsOf(operations: Operation[]) {
  const names = [...new Set(operations.map(tagOf))]
  return names.map((name) => ({ name, description: abouts[name] }))
}

/** The tag of an operation is the first segment of its path, without `.csv`. */
function tagOf({ path }: { path: string }): string {
  return path.split(/[/.]/)[1] as string
}

const failures = {
  400: 'A parameter or a field of the body is missing, unknown or invalid',
  401: 'No valid API key, and no session',
  404: 'Not found, or the key or person may not see it. A creation also gets it if the site is inactive',
  429: 'Rate limit exceeded',
  500: 'The controller failed, or an unexpected error occurred',
  503: 'Temporarily unavailable',
}
const scopeMissing = 'The scope of the key or the role of the person does not include this operation'
const factorMissing = 'The person must set up a second factor first'
const signInTooOld = 'The person signed in more than 15 minutes ago and must sign in again'
const failuresOfBodies = (maxKiB = 64) => ({ 413: `The body is larger than ${maxKiB} KiB` })
const failuresOfManaging = {
  409: 'The name is taken, something still refers to the object, or the sites of the controller could not be read',
}
const failuresOfSessions = { 415: 'A request with a session has a Content-Type other than application/json' }
const failuresOfPublicChanges = {
  ...failuresOfSessions,
  401: 'The e-mail address or the password is wrong',
  403: 'The token is not valid, the connection is not encrypted, or a page of another website sent the request',
  409: 'There is an administrator already',
}
const failuresOfIdempotency = {
  409: 'A request with this Idempotency-Key is still running',
  422: 'This Idempotency-Key was used with other contents',
}

function failuresOfUpload({ types, maxBytes }: Upload) {
  return {
    413: `The file is larger than ${maxBytes / 1024} KiB`,
    415: `A request with a session has a Content-Type other than ${types.join(' or ')}, or an image has another type`,
  }
}

/** Only creations that wait for the controller can fail because of its answer. */
const failuresOfControllers = { 502: 'The controller returned no usable voucher' }

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A repeat with the same key creates nothing again. It returns the first result. For an API key, it gets 409 key_created_before instead.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
}

const askedIdempotencyKey = {
  ...idempotencyKey,
  required: true,
  description: 'The Idempotency-Key of the request that you ask about.',
}

const successes = { 200: 'Success', 201: 'Created', 202: 'Accepted; the work continues in the background', 204: 'Done' }

function failuresOf(operation: Operation): Record<number, string> {
  const { method, upload, acceptsIdempotencyKey } = operation
  return {
    ...failures,
    ...forbiddenOf(operation),
    ...(method !== 'GET' && failuresOfBodies(operation.maxBodyKiB)),
    ...(operation.role && method !== 'GET' && failuresOfSessions),
    ...(operation.scope === 'manage' && method !== 'GET' && failuresOfManaging),
    ...(acceptsIdempotencyKey && failuresOfIdempotency),
    ...(operation.conflict && { 409: conflictOf(operation.conflict, operation) }),
    ...(operation.tooMany && { 429: `${failures[429]}. Or: ${operation.tooMany}` }),
    ...(operation.failureHeaders && failuresOfControllers),
    ...(upload && failuresOfUpload(upload)),
  }
}

function forbiddenOf({ scope, role, withoutFactor, recentSignIn }: Operation): Record<number, string> {
  const reasons = [
    ...(scope === 'read' ? [] : [scopeMissing]),
    ...(role === undefined || withoutFactor ? [] : [factorMissing]),
    ...(recentSignIn ? [signInTooOld] : []),
  ]
  return reasons.length === 0 ? {} : { 403: reasons.join('. Or: ') }
}

function failuresOfPublic(method: string): Record<number, string> {
  const { 401: _, 404: __, ...always } = failures
  return method === 'GET' ? always : { ...always, ...failuresOfPublicChanges, ...failuresOfBodies() }
}

function describe(operation: Operation, schemas: Record<string, unknown>) {
  const { operationId, summary, method, status, body, upload, acceptsIdempotencyKey } = operation
  const problem = named(problemSchema, schemas)
  const failed = operation.isPublic ? failuresOfPublic(method) : failuresOf(operation)
  return {
    operationId,
    tags: [tagOf(operation)],
    summary,
    security: securityOf(operation),
    parameters: [
      ...parametersOf('path', operation.params),
      ...parametersOf('query', operation.query),
      ...(acceptsIdempotencyKey ? [idempotencyKey] : []),
      ...(operation.asksAboutIdempotencyKey ? [askedIdempotencyKey] : []),
    ],
    ...(body && { requestBody: { required: true, ...json(body, schemas, 'request') } }),
    ...(upload && { requestBody: { required: true, ...files(upload.types) } }),
    responses: {
      [status]: {
        description: successes[status],
        headers: headersOf(operation, status),
        ...contentOf(operation, schemas),
      },
      ...(hasEtag(operation) && {
        304: {
          description: 'Unchanged since the answer whose ETag is in If-None-Match',
          headers: headersOf(operation, 304),
        },
      }),
      ...Object.fromEntries(
        Object.entries(failed).map(([failedStatus, description]) => [
          failedStatus,
          {
            description,
            headers: headersOf(operation, Number(failedStatus)),
            content: { 'application/json': { schema: problem } },
          },
        ]),
      ),
    },
  }
}

function conflictOf(conflict: string, { acceptsIdempotencyKey }: Operation): string {
  return acceptsIdempotencyKey ? `${conflict}. Or: ${failuresOfIdempotency[409]}` : conflict
}

/** The kinds of authentication that this operation accepts. None: anybody may call it. */
function securityOf({ scope, role }: Operation) {
  const byKey = [{ bearerAuth: [] }, { apiKeyAuth: [] }]
  return [...(scope ? byKey : []), ...(role ? [{ sessionCookie: [] }] : [])]
}

function parametersOf(place: 'path' | 'query', schema: TObject | undefined) {
  const required: string[] = schema?.required ?? []
  return Object.entries((schema?.properties ?? {}) as Record<string, Schema>).map(
    ([name, { description, default: otherwise, ...rest }]) => ({
      name,
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: { ...(named(rest, {}) as Schema), ...(otherwise !== undefined && { default: otherwise }) },
    }),
  )
}

/** Moves every schema with a title to the components and refers to it there. */
function named(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((member) => named(member, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, ...members } = withDefaultInWords(schema as Schema)
  const shown = Object.entries(members).filter(([, member]) => typeof member !== 'function') // a `rule` is code
  const inside = Object.fromEntries(shown.map(([name, member]) => [name, named(member, schemas)]))
  if (typeof title !== 'string') return inside
  schemas[title] = inside
  return { $ref: `#/components/schemas/${title}` }
}

/**
 * Generated clients require a field of a body that has a `default`. So the default is an example and part of the
 * description.
 */
function withDefaultInWords(schema: Schema): Schema {
  const { default: otherwise, description, ...members } = schema
  const isProperty = typeof otherwise === 'object' && !Array.isArray(otherwise) // a field that is called default
  if (otherwise === undefined || isProperty) return schema
  const words = `Default: ${[otherwise].flat().join(', ')}.`
  return { examples: [otherwise], ...members, description: description ? `${description} ${words}` : words }
}

/** The content of a successful answer. A 204 has none. */
function contentOf(operation: Operation, schemas: Record<string, unknown>) {
  const { status, answer, csvFileName } = operation
  const fileTypes = fileTypesOf(operation)
  if (status === 204) return {}
  if (fileTypes) return files(fileTypes)
  if (!csvFileName) return json(answer, schemas, 'answer')
  return { content: { 'text/csv': { schema: named(answer, schemas), example: csvExample } } }
}

function files(types: readonly string[]) {
  return { content: Object.fromEntries(types.map((type) => [type, { schema: binary }])) }
}

const csvExample = 'number,name,code\r\n1,Room 12,48614-09510\r\n'

function json(schema: TSchema, schemas: Record<string, unknown>, use: 'request' | 'answer') {
  const described = named(schema, schemas) as JsonSchema
  const example = exampleOf(schemas as Record<string, JsonSchema>, described, use)
  return { content: { 'application/json': { schema: described, example } } }
}
