import { likePattern } from './like-pattern.ts'
import { type Filter, FilterError, parseFilter } from './parse-filter.ts'
import type { FilterFunction, Properties, Value } from './properties.ts'
import { readArgument } from './read-argument.ts'

type Test = (value: Value | undefined) => boolean

/** Turns a filter's text into a predicate, or throws a FilterError. */
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
    if (!hasRightCount(fn, args.length)) throw new FilterError(`'${fn}' has the wrong number of arguments`)
    const test = tests[fn](args)
    return (item) => test(property.of(item))
  }
  const parts = filter.parts.map((part) => compile(part, properties))
  if (filter.kind === 'and') return (item) => parts.every((part) => part(item))
  const any = (item: Item) => parts.some((part) => part(item))
  return filter.kind === 'or' ? any : (item) => !any(item)
}

function hasRightCount(fn: FilterFunction, count: number): boolean {
  if (fn === 'isNull' || fn === 'isNotNull') return count === 0
  return fn === 'in' || fn === 'notIn' ? count >= 1 : count === 1
}

// As in SQL, a value that is absent is neither equal nor unequal to anything.
const present =
  (test: (value: Value) => boolean): Test =>
  (value) =>
    value !== undefined && test(value)

const compared =
  (test: (value: Value, limit: Value) => boolean) =>
  ([limit]: Value[]): Test =>
    present((value) => limit !== undefined && test(value, limit))

const tests: Record<FilterFunction, (args: Value[]) => Test> = {
  eq: compared((value, other) => value === other),
  ne: compared((value, other) => value !== other),
  gt: compared((value, limit) => value > limit),
  ge: compared((value, limit) => value >= limit),
  lt: compared((value, limit) => value < limit),
  le: compared((value, limit) => value <= limit),
  in(args) {
    const set = new Set(args)
    return present((value) => set.has(value))
  },
  notIn(args) {
    const set = new Set(args)
    return present((value) => !set.has(value))
  },
  like([text]) {
    const pattern = likePattern(String(text))
    return present((value) => pattern.test(String(value)))
  },
  isNull: () => (value) => value === undefined,
  isNotNull: () => (value) => value !== undefined,
}
