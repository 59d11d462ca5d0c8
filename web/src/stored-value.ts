type Parts<Value> = {
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  key: string
  /** Raise it when the value changes its meaning or its fields. Values of release 0.1.0 have no version and count as version 1. */
  version: number
  isValid: (value: unknown) => value is Value
}

/**
 * A value that the browser keeps while the page is loaded again. A value of another version, a broken one and a storage that
 * the browser refuses are like no value: none of them may break the page.
 */
export function storedValue<Value>({ storage, key, version, isValid }: Parts<Value>) {
  return {
    read(): Value | null {
      try {
        const stored = JSON.parse(storage.getItem(key) ?? 'null')
        const isWrapped = typeof stored?.version === 'number'
        const value: unknown = isWrapped ? stored.value : stored
        return (isWrapped ? stored.version : 1) === version && isValid(value) ? value : null
      } catch {
        return null
      }
    },
    /** Null removes the value. */
    write(value: Value | null): void {
      try {
        if (value === null) storage.removeItem(key)
        else storage.setItem(key, JSON.stringify({ version, value }))
      } catch {} // the storage is full or blocked: a reload forgets the value
    },
  }
}

/** True if the value has these fields, each of this type. */
export function hasFields(value: unknown, fields: Record<string, 'string' | 'number' | 'object'>): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(fields).every(([name, type]) => {
    const field = (value as Record<string, unknown>)[name]
    return typeof field === type && field !== null
  })
}

export function isIdList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((id) => typeof id === 'string')
}
