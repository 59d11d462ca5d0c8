import { isUuid } from '../http/uuid.ts'
import { type Argument, FilterError } from './parse-filter.ts'
import type { PropertyType, Value } from './properties.ts'

const timestamp = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** Only strings stand in quotes; everything else must stand bare. */
export function readArgument(type: PropertyType, { text, quoted }: Argument): Value {
  const value = quoted === (type === 'string') ? readers[type](text) : undefined
  if (value === undefined || Number.isNaN(value)) throw new FilterError(`'${text}' is not a valid ${type} in a filter`)
  return value
}

const readers: Record<PropertyType, (text: string) => Value | undefined> = {
  string: (text) => text,
  uuid: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
  integer: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  timestamp: (text) => (timestamp.test(text) ? Date.parse(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
}
