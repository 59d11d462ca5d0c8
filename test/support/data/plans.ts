import type { Database, NamedStatement, Queryable } from '#db/database.ts'

/** Executes a statement with the generic plan that `requestDb` uses, and returns what PostgreSQL explains. */
export async function explainGeneric(db: Database, { text }: NamedStatement, values: unknown[]): Promise<any> {
  return db.transaction(async (tx) => {
    await tx.query('set local plan_cache_mode = force_generic_plan')
    await tx.query(`prepare explained as ${text}`)
    const literals = values.map(toLiteral).join(', ')
    const { rows } = await tx.query<any>(`explain (analyze, buffers, format json) execute explained (${literals})`)
    await tx.query('deallocate explained')
    return rows[0]['QUERY PLAN'][0]
  })
}

function toLiteral(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Date) return `'${value.toISOString()}'`
  if (Array.isArray(value)) return `'{${value.map((item) => (item === null ? 'null' : `"${item}"`)).join(',')}}'`
  return typeof value === 'number' ? String(value) : `'${value}'`
}

/** Runs a statement of the service with `explain analyze` and returns the text of its plan. */
export async function planOf(db: Queryable, work: (db: Queryable) => Promise<unknown>): Promise<string> {
  let plan = ''
  await work({
    async query<Row extends object>(statement: string | NamedStatement, values?: unknown[]) {
      const text = typeof statement === 'string' ? statement : statement.text
      if (text.startsWith('set local')) return db.query<Row>(text)
      const result = await db.query<Row>(`explain analyze ${text}`, values)
      plan = result.rows.flatMap((line) => Object.values(line)).join('\n')
      return result
    },
  })
  return plan
}

/** All nodes of a plan, from the top. */
export function nodesOf(plan: any): any[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}
