import type { Database, NamedStatement } from '#db/database.ts'

/** Executes a statement with the generic plan that `requestDb` uses, and returns the plan. */
export async function explainGeneric(db: Database, { text }: NamedStatement, values: unknown[]): Promise<any> {
  return db.transaction(async (tx) => {
    await tx.query('set local plan_cache_mode = force_generic_plan')
    await tx.query(`prepare explained as ${text}`)
    const literals = values.map(toLiteral).join(', ')
    const { rows } = await tx.query<any>(`explain (analyze, format json) execute explained (${literals})`)
    await tx.query('deallocate explained')
    return rows[0]['QUERY PLAN'][0].Plan
  })
}

function toLiteral(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `'{${value.map((item) => (item === null ? 'null' : `"${item}"`)).join(',')}}'`
  return typeof value === 'number' ? String(value) : `'${value}'`
}

/** All nodes of a plan, from the top. */
export function nodesOf(plan: any): any[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}
