import { isUuid } from '../http/json.ts'
import { type Argument, type Filter, FilterError, parseFilter } from './parse-filter.ts'

type Value = string | number | boolean

type FilterFunction = 'eq' | 'ne' | 'in' | 'notIn' | 'like' | 'gt' | 'ge' | 'lt' | 'le' | 'isNull' | 'isNotNull'

type PropertyType = 'uuid' | 'string' | 'integer' | 'timestamp' | 'boolean'

/** The properties that a filter may name. */
export type Properties<Item> = Readonly<
  Record<
    string,
    {
      type: PropertyType
      functions: readonly FilterFunction[]
      of(item: Item): Value | undefined
    }
  >
>

/** Turns the text of a filter into a predicate, or throws a FilterError. */
export function compileFilter<Item>(text: string, properties: Properties<Item>): (item: Item) => boolean {
  return compile(parseFilter(text), properties)
}

function compile<Item>(filter: Filter, properties: Properties<Item>): (item: Item) => boolean {
  if (filter.kind === 'property') {
    const property = Object.hasOwn(properties, filter.property) ? properties[filter.property] : undefined
    if (!property) throw new FilterError(`'${filter.property}' cannot be filtered`)
    const fn = property.functions.find((name) => name === filter.fn)
    if (!fn) throw new FilterError(`'${filter.property}' has no function '${filter.fn}'`)
    const args = filter.args.map((arg) => readArgument(property.type, arg))
    if (!isArgumentCount(fn, args.length)) throw new FilterError(`'${fn}' has the wrong number of arguments`)
    const test = tests[fn](args)
    return (item) => test(property.of(item))
  }
  const parts = filter.parts.map((part) => compile(part, properties))
  if (filter.kind === 'and') return (item) => parts.every((part) => part(item))
  const any = (item: Item) => parts.some((part) => part(item))
  return filter.kind === 'or' ? any : (item) => !any(item)
}

/** Strings need quotes. Values of all other types must not have any. */
function readArgument(type: PropertyType, { text, quoted }: Argument): Value {
  const value = quoted === (type === 'string') ? readers[type](text) : undefined
  if (value === undefined || Number.isNaN(value)) throw new FilterError(`'${text}' is not a valid ${type} in a filter`)
  return value
}

const timestamp = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

const readers: Record<PropertyType, (text: string) => Value | undefined> = {
  string: (text) => text,
  uuid: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
  integer: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  timestamp: (text) => (timestamp.test(text) ? Date.parse(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
}

function isArgumentCount(fn: FilterFunction, count: number): boolean {
  if (fn === 'isNull' || fn === 'isNotNull') return count === 0
  return fn === 'in' || fn === 'notIn' ? count >= 1 : count === 1
}

type Test = (value: Value | undefined) => boolean

/** As in SQL, an absent value is neither equal nor unequal to anything. */
const ifPresent =
  (test: (value: Value) => boolean): Test =>
  (value) =>
    value !== undefined && test(value)

const compare =
  (test: (value: Value, limit: Value) => boolean) =>
  ([limit]: Value[]): Test =>
    ifPresent((value) => limit !== undefined && test(value, limit))

const tests: Record<FilterFunction, (args: Value[]) => Test> = {
  eq: compare((value, other) => value === other),
  ne: compare((value, other) => value !== other),
  gt: compare((value, limit) => value > limit),
  ge: compare((value, limit) => value >= limit),
  lt: compare((value, limit) => value < limit),
  le: compare((value, limit) => value <= limit),
  in(args) {
    const set = new Set(args)
    return ifPresent((value) => set.has(value))
  },
  notIn(args) {
    const set = new Set(args)
    return ifPresent((value) => !set.has(value))
  },
  like([text]) {
    const pattern = likePattern(String(text))
    return ifPresent((value) => pattern.test(String(value)))
  },
  isNull: () => (value) => value === undefined,
  isNotNull: () => (value) => value !== undefined,
}

/** `*` matches any characters, `.` matches one, and `\` makes the next character literal. */
function likePattern(pattern: string): RegExp {
  const source = pattern.replace(/\\([\s\S])|([\s\S])/gu, (_, escaped?: string, plain?: string) => {
    if (plain === '*') return '.*'
    if (plain === '.') return '.'
    return `\\u{${(escaped ?? plain ?? '').codePointAt(0)?.toString(16)}}`
  })
  return new RegExp(`^${source}$`, 'su')
}
