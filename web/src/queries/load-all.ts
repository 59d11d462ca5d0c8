import { listAll } from '../../../client/voucher-client.ts'

type Page = { next_cursor: string | null }
type RowOf<Of extends Page> = ReturnType<typeof listAll<Of>> extends AsyncGenerator<infer Row> ? Row : never

/** Loads all entries of a list, 200 with each request. */
export async function loadAll<Of extends Page>(
  list: (page: { limit: number; cursor?: string }) => Promise<Of>,
): Promise<RowOf<Of>[]> {
  const rows: RowOf<Of>[] = []
  for await (const row of listAll((page) => list({ limit: 200, ...page }))) rows.push(row as RowOf<Of>)
  return rows
}
