import { v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import type { Actor } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { findSiteState } from '../sites/site-states.queries.ts'
import { deleteTemplate, insertTemplate, type Template } from './templates.queries.ts'

export type TemplateRequest = Omit<Template, 'id' | 'createdAt'>

export async function addTemplate(db: Database, actor: Actor, request: TemplateRequest): Promise<Template> {
  const { siteId } = request
  const name = plainName(request.name)
  return db.transaction(async (tx) => {
    if (siteId !== null && !(await findSiteState(tx, siteId, null)))
      throw new DomainError('site_not_found', { details: { ids: siteId } })
    const template = await insertTemplate(tx, { ...request, name, id: uuidv7() })
    if (!template)
      throw new DomainError('template_name_taken', { details: { name, ...(siteId !== null && { siteId }) } })
    const { id, createdAt: _, ...details } = template
    await recordAudit(tx, actor, { action: 'template.added', targetKind: 'template', targetId: id, details })
    return template
  })
}

/** Vouchers that were made from the template keep their limits: each has a copy. */
export async function removeTemplate(
  db: Database,
  actor: Actor,
  id: string,
): Promise<{ removed: string; name: string }> {
  return db.transaction(async (tx) => {
    const template = await deleteTemplate(tx, id)
    if (!template) throw new DomainError('template_not_found', { details: { id } })
    const { name, siteId } = template
    const details = { name, siteId }
    await recordAudit(tx, actor, { action: 'template.removed', targetKind: 'template', targetId: id, details })
    return { removed: id, name }
  })
}
