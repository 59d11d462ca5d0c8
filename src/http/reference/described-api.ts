import type { JsonSchema } from '../v2/kit/json-schema.ts'
import { openapiDocument } from '../v2/kit/openapi.ts'
import type { Operation } from '../v2/kit/operation.ts'

type Content = { content?: Record<string, { schema: JsonSchema; example?: unknown }> }
export type Parameter = { name: string; in: string; required: boolean; description?: string; schema: JsonSchema }
export type Answer = Content & { description: string; headers?: Record<string, unknown> }

/** An operation of the OpenAPI document, with the scope that a key needs and the role that a person needs. */
export type Described = {
  method: string
  path: string
  scope: string | undefined
  role: string | undefined
  operationId: string
  tags: string[]
  summary: string
  parameters: Parameter[]
  requestBody?: Content
  responses: Record<string, Answer>
}

export type DescribedApi = { operations: Described[]; schemas: Record<string, JsonSchema> }

/** Reads the operations from the OpenAPI document, so that the page and the document cannot differ. */
export function describeApi(operations: Operation[]): DescribedApi {
  const { paths, components } = openapiDocument(operations)
  return {
    operations: operations.map(({ method, path, scope, role }) => ({
      ...(paths[path]?.[method.toLowerCase()] as Omit<Described, 'method' | 'path' | 'scope' | 'role'>),
      method,
      path,
      scope,
      role,
    })),
    schemas: components.schemas as Record<string, JsonSchema>,
  }
}

export function schemaOf({ content = {} }: Content): JsonSchema | undefined {
  return Object.values(content)[0]?.schema
}

/** `Voucher` for `#/components/schemas/Voucher`. */
export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}
