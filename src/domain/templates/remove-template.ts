import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { deleteTemplate } from './templates.queries.ts'

/** Vouchers that were made from it keep their limits: they hold a copy. */
export async function removeTemplate(db: Database, id: string): Promise<{ removed: string; name: string }> {
  return db.transaction(async (tx) => {
    const template = await deleteTemplate(tx, id)
    if (!template) throw new CommandRefused(`No template has the id ${id}.`)
    const { name, siteId } = template
    const details = { name, siteId }
    await recordAudit(tx, { action: 'template.removed', targetKind: 'template', targetId: id, details })
    return { removed: id, name }
  })
}
