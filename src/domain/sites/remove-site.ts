import type { Database } from '#db/database.ts'
import { type Actor, limitingActorId } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { deleteSite, findSiteToRemove, listSiteReferences } from './remove-site.queries.ts'

/** Removes a site that nothing refers to. A site that had vouchers stays; it can be deactivated. */
export async function removeSite(db: Database, actor: Actor, id: number): Promise<{ removed: number; name: string }> {
  return db.transaction(async (tx) => {
    const site = await findSiteToRemove(tx, id, limitingActorId(actor))
    if (!site) throw new DomainError('site_not_found', { details: { ids: id } })
    const references = await listSiteReferences(tx, id)
    if (references.length > 0) throw new DomainError('site_in_use', { details: { id, by: references.join(', ') } })
    await deleteSite(tx, id)
    const { name } = site
    await recordAudit(tx, actor, {
      action: 'site.removed',
      targetKind: 'site',
      targetId: String(id),
      details: { name },
    })
    return { removed: id, name }
  })
}
