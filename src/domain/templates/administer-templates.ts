import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import { type Actor, limitingActorId, requireAllSites } from '../actor.ts'
import { changed, recordAudit, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { findSite } from '../sites/sites.queries.ts'
import {
  deleteTemplate,
  findTemplateToChange,
  insertTemplate,
  type Template,
  updateTemplate,
} from './templates.queries.ts'

export type TemplateRequest = Omit<Template, 'id' | 'createdAt'>

export async function addTemplate(db: Database, actor: Actor, request: TemplateRequest): Promise<Template> {
  const { siteId } = request
  const name = plainName(request.name)
  return db.transaction(async (tx) => {
    if (siteId === null) requireAllSites(actor)
    else if (!(await findSite(tx, siteId, limitingActorId(actor))))
      throw new DomainError('site_not_found', { details: { ids: siteId } })
    const template = await insertTemplate(tx, { ...request, name, id: uuidv7() })
    if (!template) throw nameTaken({ name, siteId })
    const { id, createdAt: _, ...details } = template
    await recordAudit(tx, actor, { action: 'template.added', targetKind: 'template', targetId: id, details })
    return template
  })
}

/** Fields that are undefined keep their value. Vouchers that were made from the template keep their limits. */
export type TemplateChange = {
  [field in Exclude<keyof TemplateRequest, 'siteId'>]?: TemplateRequest[field] | undefined
}

export async function setTemplate(db: Database, actor: Actor, id: string, request: TemplateChange): Promise<Template> {
  const changes = request.name === undefined ? request : { ...request, name: plainName(request.name) }
  return db.transaction(async (tx) => {
    const { createdAt: _, ...before } = await findOwnTemplate(tx, actor, id)
    const wanted = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    const template = await updateTemplate(tx, { ...before, ...wanted })
    if (!template) throw nameTaken({ ...before, ...wanted })
    const entry = { action: 'template.changed', targetKind: 'template', targetId: id, details: { name: before.name } }
    await recordChange(tx, actor, entry, changed(before, wanted))
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
    const { name, siteId } = await findOwnTemplate(tx, actor, id)
    await deleteTemplate(tx, id)
    const details = { name, siteId }
    await recordAudit(tx, actor, { action: 'template.removed', targetKind: 'template', targetId: id, details })
    return { removed: id, name }
  })
}

/** Every key sees the templates for all sites, but only an actor for all sites may change them. */
async function findOwnTemplate(tx: Queryable, actor: Actor, id: string): Promise<Template> {
  const template = await findTemplateToChange(tx, id)
  if (!template) throw new DomainError('template_not_found', { details: { id } })
  if (template.siteId === null) requireAllSites(actor)
  else if (!(await findSite(tx, template.siteId, limitingActorId(actor))))
    throw new DomainError('template_not_found', { details: { id } })
  return template
}

function nameTaken({ name, siteId }: Pick<Template, 'name' | 'siteId'>): DomainError {
  return new DomainError('template_name_taken', { details: { name, ...(siteId !== null && { siteId }) } })
}
