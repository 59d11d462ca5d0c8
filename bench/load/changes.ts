import pg from 'pg'
import type { Load } from './load.ts'

export type Changes = {
  /** Called before each request in turn. A promise means that the request must wait. */
  before(place: number): Promise<unknown> | undefined
  end(): Promise<void>
}

/**
 * Changes the version of every site between two reads of its list. Sites are read in turn: while one half is read, the
 * versions of the other half are changed with one statement. So each read needs the rows again, and the changes cost
 * two statements for all sites together.
 */
export async function createChanges(databaseUrl: string, { sites, connections }: Load): Promise<Changes> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  const half = Math.ceil(sites / 2)
  /** Reads of the other half may still be under way when a half begins, so its change begins a little later. */
  const later = Math.min(4 * connections, Math.floor(half / 2))
  const change = (from: number, to: number) =>
    pool.query('update site_versions set version = gen_random_uuid() where site_id between $1 and $2', [from, to])
  const changed: [Promise<unknown>, Promise<unknown>] = [change(1, half), change(half + 1, sites)]
  await Promise.all(changed)
  return {
    before(place) {
      const turn = place % sites
      if (turn === later && place > sites) changed[1] = change(half + 1, sites)
      if (turn === (half + later) % sites) changed[0] = change(1, half)
      if (turn === 0) return changed[0]
      return turn === half ? changed[1] : undefined
    },
    async end() {
      await Promise.allSettled(changed)
      await pool.end()
    },
  }
}
