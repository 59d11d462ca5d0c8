export type Value = string | number | boolean

export type FilterFunction = 'eq' | 'ne' | 'in' | 'notIn' | 'like' | 'gt' | 'ge' | 'lt' | 'le' | 'isNull' | 'isNotNull'

export type PropertyType = 'uuid' | 'string' | 'integer' | 'timestamp' | 'boolean'

type Property<Item> = {
  type: PropertyType
  functions: readonly FilterFunction[]
  of(item: Item): Value | undefined
}

export type Properties<Item> = Readonly<Record<string, Property<Item>>>

export const equality = ['eq', 'ne'] as const
export const membership = [...equality, 'in', 'notIn'] as const
export const pattern = [...membership, 'like'] as const
export const order = [...equality, 'gt', 'ge', 'lt', 'le'] as const
export const nullableOrder = ['isNull', 'isNotNull', ...order] as const
