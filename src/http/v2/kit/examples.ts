import type { JsonSchema } from './json-schema.ts'

type Schemas = Record<string, JsonSchema>

/**
 * A value that the schema accepts: its own example, otherwise one made from its fields. A request shows the required
 * fields, an answer shows all. `schemas` are the named schemas of the document.
 */
export function exampleOf(schemas: Schemas, schema: JsonSchema, use: 'request' | 'answer', name = ''): unknown {
  const { $ref, examples = [], default: otherwise, const: value, enum: values = [], anyOf, items } = schema
  if ($ref !== undefined) return exampleOf(schemas, schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}, use, name)
  if (examples[0] !== undefined) return examples[0]
  if (use === 'answer' && Object.hasOwn(valuesByName, name)) return valuesByName[name]
  const given = [otherwise, value, ...values].find((each) => each !== undefined)
  if (given !== undefined) return given
  if (anyOf) return exampleOf(schemas, anyOf[0] ?? {}, use, name)
  const kinds = [schema.type ?? []].flat()
  if (kinds.includes('null')) return null
  if (kinds.includes('object')) return exampleObject(schemas, schema, use)
  if (kinds.includes('array')) return [exampleOf(schemas, items ?? {}, use, name)]
  if (kinds.includes('boolean')) return true
  if (kinds.includes('integer') || kinds.includes('number')) return schema.minimum ?? 1
  return ofFormat[schema.format ?? ''] ?? 'text'
}

function exampleObject(schemas: Schemas, { properties = {}, required = [] }: JsonSchema, use: 'request' | 'answer') {
  const shown = Object.entries(properties).filter(([name]) => use === 'answer' || required.includes(name))
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schemas, schema, use, name)]))
}

const uuid = '019a3f5c-7d2e-7b41-9c60-3e8f1a2b4c5d'
const ofFormat: Record<string, string> = { uuid, 'date-time': '2127-01-31T12:00:00Z' }

/** Values that fields of these names have in examples of answers, so that the examples fit together. */
const valuesByName: Record<string, unknown> = {
  site_id: 1,
  name: 'Room 12',
  code: '4861409510',
  formatted_code: '48614-09510',
  reference: 'R-4711',
  max_uses: 3,
  used_count: 0,
  expire_minutes: 4200,
  created_at: '2026-11-15T14:02:11.000Z',
  valid_until: '2026-11-18T12:00:00.000Z',
  synced_at: '2026-11-15T14:05:00.000Z',
  finished_at: null,
  next_cursor: null,
  voucher_id: `1-${uuid}`,
  batch_id: null,
  failure: null,
  size: 500,
  waiting: 500,
  total: 3,
  pending: 3,
}
