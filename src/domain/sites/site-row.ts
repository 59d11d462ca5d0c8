/** One site as a file asks for it; `line` is where it stands there. */
export type SiteRow = {
  line: number
  name: string
  controller: string
  controllerSite: string
  active: boolean
  adoptsVouchers: boolean
}

/** What became of a row. Nothing was changed for one that exists or was refused. */
export type RowOutcome = {
  line: number
  name: string
  outcome: 'added' | 'exists' | 'refused'
  reason: string | null
}

export function refuseRow({ line, name }: { line: number; name: string }, reason: string): RowOutcome {
  return { line, name, outcome: 'refused', reason }
}
