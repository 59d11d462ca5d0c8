/**
 * The entry of a table for a value of the API. A newer service may send a value that this version does not know; it gets the
 * fallback, so that the rest of the page still works.
 */
export function entryFor<Entry>(table: Readonly<Record<string, Entry>>, value: string, fallback: Entry): Entry {
  return Object.hasOwn(table, value) ? (table[value] as Entry) : fallback
}

/** The option of `t` for a text whose key ends with a value of the API: an unknown value is shown as it is. */
export function orValue(value: string): { defaultValue: string } {
  return { defaultValue: value.replaceAll('_', ' ') }
}
