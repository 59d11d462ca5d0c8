/** The list after a row moved to another place, from 0, and the row that follows it then. Undefined if nothing moves. */
export function placeAfterMove<Row extends { id: string }>(rows: Row[], id: string, to: number) {
  const from = rows.findIndex((row) => row.id === id)
  const template = rows[from]
  if (!template || to === from || to < 0 || to >= rows.length) return undefined
  const templates = rows.toSpliced(from, 1).toSpliced(to, 0, template)
  return { template, templates, before: templates[to + 1]?.id ?? null }
}
