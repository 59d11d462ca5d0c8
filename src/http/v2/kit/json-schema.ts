import type { InvalidField } from '../../errors/field-errors.ts'

/** The JSON Schema keywords that our schemas use, and `rule`, which no document shows. */
export type JsonSchema = {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  default?: unknown
  examples?: unknown[]
  description?: string
  rule?: Rule
}

/**
 * A check that a schema cannot express, e.g. fields that exclude each other. It gets a value of the schema's type, in which
 * other fields may be invalid. The fields of its errors are relative to the value; an empty field is the value itself.
 */
// biome-ignore lint/suspicious/noExplicitAny: each rule declares the type of its value
type Rule = (value: any) => InvalidField[]
