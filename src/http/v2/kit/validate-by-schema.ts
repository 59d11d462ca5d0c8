import { Format } from 'typebox/format'
import { nearestName } from '#lib/nearest-name.ts'
import type { Allowed, FieldCode, InvalidField } from '../../errors/field-errors.ts'
import { isObject } from '../../server/read-request.ts'
import type { JsonSchema } from './json-schema.ts'

/** A parameter that is given several times although only one value is accepted. */
export class Repeated {}

type Path = (string | number)[]

/** Every invalid field of a value, in the order of the schema; at most one error for each field. */
export function validateBySchema(schema: JsonSchema, value: unknown, path: Path = []): InvalidField[] {
  const report = (code: FieldCode, allowed?: Allowed): InvalidField[] => [
    { field: fieldName(path), code, ...(allowed && { allowed }) },
  ]
  const types = [schema.type ?? []].flat()
  if (value instanceof Repeated) return report('repeated')
  if (types.length > 0 && !types.some((type) => hasType(type, value))) return report('wrong_type', { types })
  if (value === null) return []
  if (schema.enum && !schema.enum.includes(value)) return report('not_one_of', { values: schema.enum.map(String) })
  const byRule = () =>
    (schema.rule?.(value) ?? []).map(({ field, ...error }) => ({
      ...error,
      field: fieldName(field === '' ? path : [...path, field]),
    }))
  if (isObject(value)) return [...inFields(schema, value, path), ...byRule()]
  const problem = Array.isArray(value) ? ofLength(schema, value.length) : ofValue(schema, value)
  if (problem) return report(...problem)
  if (!Array.isArray(value)) return byRule()
  return [...value.flatMap((item, i) => validateBySchema(schema.items ?? {}, item, [...path, i])), ...byRule()]
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return typeof value === type
}

function inFields(
  { properties = {}, required = [], ...schema }: JsonSchema,
  value: object,
  path: Path,
): InvalidField[] {
  const known = Object.keys(properties)
  const sent = new Map(Object.entries(value))
  const missing = required.filter((name) => !sent.has(name))
  const unknown = schema.additionalProperties === false ? [...sent.keys()].filter((name) => !known.includes(name)) : []
  return [
    ...missing.map((name): InvalidField => ({ field: fieldName([...path, name]), code: 'required' })),
    ...known
      .filter((name) => sent.has(name))
      .flatMap((name) => validateBySchema(properties[name] ?? {}, sent.get(name), [...path, name])),
    ...unknown.map((name): InvalidField => {
      const nearest = nearestName(name, known)
      const allowed = { fields: known, ...(nearest !== undefined && { nearest }) }
      return { field: fieldName([...path, name]), code: 'unknown_field', allowed }
    }),
  ]
}

type Problem = [FieldCode, Allowed] | undefined

function ofLength({ minItems = 0, maxItems }: JsonSchema, length: number): Problem {
  if (length < minItems) return ['too_few', { min_items: minItems }]
  return maxItems !== undefined && length > maxItems ? ['too_many', { max_items: maxItems }] : undefined
}

function ofValue(schema: JsonSchema, value: unknown): Problem {
  if (typeof value === 'number') return ofNumber(schema, value)
  return typeof value === 'string' ? ofText(schema, value) : undefined
}

function ofNumber({ minimum, maximum }: JsonSchema, value: number): Problem {
  if (value >= (minimum ?? value) && value <= (maximum ?? value)) return undefined
  return ['out_of_range', { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) }]
}

function ofText({ minLength = 0, maxLength, format, pattern }: JsonSchema, text: string): Problem {
  const length = [...text].length
  if (length < minLength) return ['too_short', { min_length: minLength }]
  if (maxLength !== undefined && length > maxLength) return ['too_long', { max_length: maxLength }]
  if (format === 'date-time') return ofTime(text)
  if (format !== undefined && !Format.Test(format, text)) return ['bad_format', { format }]
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return ['bad_format', { pattern }]
  return undefined
}

const exampleTime = { format: 'date-time', example: '2026-11-15T11:00:00+01:00' }
const onlyDate = /^\d{4}-\d\d-\d\d$/
/** In a query, an unescaped plus sign becomes a space, so the offset looks like ` 01:00`. */
const withoutZone = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?( \d\d:\d\d)?$/

function ofTime(text: string): Problem {
  if (onlyDate.test(text)) return ['time_missing', exampleTime]
  if (withoutZone.test(text)) return ['time_zone_missing', exampleTime]
  return Format.Test('date-time', text) && isStorable(new Date(text)) ? undefined : ['not_a_time', exampleTime]
}

/** False for leap seconds, which JavaScript cannot represent, and for years that PostgreSQL does not read back. */
function isStorable(date: Date): boolean {
  return !Number.isNaN(date.getTime()) && /^\d{4}-/.test(date.toISOString())
}

/**
 * The name of a field in an error, such as `qos.down_kbps` or `names[3]`; `body` for the whole body. Names that are not
 * identifiers are not repeated.
 */
export function fieldName(path: Path): string {
  if (path.length === 0) return 'body'
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
  return /^(?:[.]\w+|\[\d+\])+$/.test(name) && name.length <= 80 ? name.replace(/^\./, '') : '?'
}
