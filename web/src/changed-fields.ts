export type Changed<Fields> = {
  [Name in keyof Fields]?: Fields[Name] extends readonly unknown[]
    ? Fields[Name]
    : Fields[Name] extends object
      ? Changed<Fields[Name]>
      : Fields[Name]
}

/**
 * The fields of a form that the person changed, also inside an object; undefined if nothing changed. A dialog sends only these:
 * the others may have been changed by somebody else since it was opened. The order of a list is a change only in `ordered` fields.
 */
export function changedFields<Fields extends object>(
  before: Fields,
  after: Fields,
  ordered: readonly string[] = [],
): Changed<Fields> | undefined {
  const changes = Object.entries(after)
    .map(([name, value]) => [name, changedValue(before[name as keyof Fields], value, ordered.includes(name))])
    .filter(([, change]) => change !== undefined)
  return changes.length > 0 ? (Object.fromEntries(changes) as Changed<Fields>) : undefined
}

function changedValue(before: unknown, after: unknown, isOrdered: boolean): unknown {
  if (isObject(before) && isObject(after)) return changedFields(before, after)
  const text = (value: unknown) => JSON.stringify(Array.isArray(value) && !isOrdered ? value.toSorted() : value)
  return text(before) === text(after) ? undefined : after
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
