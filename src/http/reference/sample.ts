import { nameOf, type Schema } from './described.ts'

/** A value that the schema accepts: its own example, or something of its kind with all that is required. */
export function sample(schemas: Record<string, Schema>, schema: Schema): unknown {
  const { $ref, examples = [], default: otherwise, const: value, enum: values = [], anyOf, items } = schema
  if ($ref !== undefined) return sample(schemas, schemas[nameOf($ref)] ?? {})
  const given = [...examples, otherwise, value, ...values].find((each) => each !== undefined)
  if (given !== undefined) return given
  if (anyOf) return sample(schemas, anyOf[0] ?? {})
  const kind = [schema.type ?? []].flat()[0]
  if (kind === 'object') return sampleObject(schemas, schema)
  if (kind === 'array') return [sample(schemas, items ?? {})]
  if (kind === 'boolean') return true
  if (kind === 'integer' || kind === 'number') return schema.minimum ?? 1
  return samplesOfFormat[schema.format ?? ''] ?? 'text'
}

const samplesOfFormat: Record<string, string> = {
  uuid: '019a3f5c-7d2e-7b41-9c60-3e8f1a2b4c5d',
  'date-time': '2127-01-31T12:00:00Z',
}

function sampleObject(schemas: Record<string, Schema>, { properties = {}, required = [] }: Schema): object {
  return Object.fromEntries(required.map((name) => [name, sample(schemas, properties[name] ?? {})]))
}
