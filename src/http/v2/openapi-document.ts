import type { TObject } from 'typebox'
import { problemSchema } from './fields.schemas.ts'
import type { Operation } from './operation.ts'

type Schema = { [member: string]: unknown }

/** The OpenAPI 3.1 description of these operations, made from the schemas that check them. */
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
      description: 'Fields may be added, none removed. Ignore what you do not know.',
    },
    servers: [{ url: '/api/v2' }],
    security: [{ bearerAuth: [] }, { apiKeyAuth: [] }],
    paths,
    components: {
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer' },
        apiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
      schemas,
    },
  }
}

const failures: Record<number, string> = {
  400: 'A parameter is missing, unknown or invalid',
  401: 'No valid API key',
  404: 'Not there, or not for this key',
  429: 'Rate limit exceeded',
  500: 'Unforeseen',
  503: 'Temporarily unavailable',
}

function describe(operation: Operation, schemas: Record<string, unknown>) {
  const problem = named(problemSchema, schemas)
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    parameters: [...parametersOf('path', operation.params), ...parametersOf('query', operation.query)],
    responses: {
      200: json('As asked', named(operation.answer, schemas)),
      304: { description: 'Unchanged since the answer whose ETag is in If-None-Match' },
      ...Object.fromEntries(Object.entries(failures).map(([status, words]) => [status, json(words, problem)])),
    },
  }
}

function parametersOf(place: 'path' | 'query', schema: TObject | undefined) {
  const required: string[] = schema?.required ?? []
  return Object.entries((schema?.properties ?? {}) as Record<string, Schema>).map(
    ([name, { description, ...rest }]) => ({
      name,
      in: place,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: rest,
    }),
  )
}

/** A schema with a title is told once and pointed to. */
function named(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((member) => named(member, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, ...members } = schema as Schema
  const inside = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, named(member, schemas)]))
  if (typeof title !== 'string') return inside
  schemas[title] = inside
  return { $ref: `#/components/schemas/${title}` }
}

function json(description: string, schema: unknown) {
  return { description, content: { 'application/json': { schema } } }
}
