/** One row more than wanted was read: it tells that there is another page. */
export function cutPage<Row>(
  found: Row[],
  limit: number,
  cursorOf: (row: Row) => string,
): { rows: Row[]; next_cursor: string | null } {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next_cursor: found.length > limit && last !== undefined ? cursorOf(last) : null }
}
