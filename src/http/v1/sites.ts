import { Readable } from 'node:stream'
import type { Queryable } from '#db/database.ts'
import { listActiveSites, type SiteName } from '#domain/sites/sites.queries.ts'
import type { Call } from './endpoint.ts'

/** How many sites are read at a time: one statement for nearly everybody, flat memory for a provider's million. */
const pageSize = 5_000

/** GET /sites.php: the active sites that the key may use, by name. */
export async function listSitesPhp(ctx: { db: Queryable }, { key }: Call): Promise<string | Readable> {
  const onlyForKey = key.allSites ? null : key.id
  const listPage = (after?: SiteName) => listActiveSites(ctx.db, { onlyForKey, after, limit: pageSize })

  const first = await listPage()
  if (first.length < pageSize) return `${open}${render(first)}${close}`
  return Readable.from(pages(first, listPage))
}

const open = '{"sites":['
const close = ']}'

async function* pages(first: SiteName[], listPage: (after?: SiteName) => Promise<SiteName[]>): AsyncGenerator<string> {
  yield open + render(first)
  for (let page = await listPage(first.at(-1)); page.length > 0; page = await listPage(page.at(-1))) {
    yield `,${render(page)}`
  }
  yield close
}

/** `id` is what the record calls it, `site_id` what requests call it. */
function render(sites: SiteName[]): string {
  return sites.map(({ id, name }) => JSON.stringify({ id, site_id: id, name, active: true })).join()
}
