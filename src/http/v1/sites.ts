import { Readable } from 'node:stream'
import type { Queryable } from '#db/database.ts'
import { limitingActorId } from '#domain/actor.ts'
import { listActiveSites, type SiteName } from '#domain/sites/sites.queries.ts'
import { actorOf } from '../server/read-request.ts'
import type { Call } from './register-v1.ts'

/**
 * Sites per statement. One statement is enough for nearly every key. With a million sites, pages keep memory use low.
 */
const pageSize = 5_000

/** GET /sites.php: the active sites that the key may use, by name. */
export async function listSitesPhp(ctx: { db: Queryable }, { key }: Call): Promise<string | Readable> {
  const onlySitesOf = limitingActorId(actorOf(key))
  const listPage = (after?: SiteName) => listActiveSites(ctx.db, { onlySitesOf, after, limit: pageSize })

  const first = await listPage()
  if (first.length < pageSize) return `${opening}${render(first)}${closing}`
  return Readable.from(pages(first, listPage))
}

const opening = '{"sites":['
const closing = ']}'

async function* pages(first: SiteName[], listPage: (after?: SiteName) => Promise<SiteName[]>): AsyncGenerator<string> {
  yield opening + render(first)
  for (let page = await listPage(first.at(-1)); page.length > 0; page = await listPage(page.at(-1))) {
    yield `,${render(page)}`
  }
  yield closing
}

/** `id` and `site_id` are the same number; the specification has both. */
function render(sites: SiteName[]): string {
  return sites.map(({ id, name }) => JSON.stringify({ id, site_id: id, name, active: true })).join()
}
