import { v7 as uuidv7 } from 'uuid'
import type { Database, Queryable } from '#db/database.ts'
import { type Actor, limitingActorId, requireAllSites } from '../actor.ts'
import { changed, recordAudit, recordChange } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { findSite } from '../sites/sites.queries.ts'
import { automaticName, isAutomaticName } from './automatic-name.ts'
import {
  deleteTemplate,
  findTemplateToChange,
  insertTemplate,
  listTemplatesToOrder,
  type Template,
  updateNoDefault,
  updateTemplate,
  updateTemplateOrder,
} from './templates.queries.ts'

/** An empty name is made from the duration. */
export type TemplateRequest = Omit<Template, 'id' | 'position' | 'isDefault' | 'createdAt'>

export function addTemplate(db: Database, actor: Actor, request: TemplateRequest): Promise<Template> {
  return db.transaction((tx) => addTemplateIn(tx, actor, request))
}

export async function addTemplateIn(tx: Queryable, actor: Actor, request: TemplateRequest): Promise<Template> {
  const { siteId } = request
  const name = nameOf(request)
  if (siteId === null) requireAllSites(actor)
  else if (!(await findSite(tx, siteId, limitingActorId(actor))))
    throw new DomainError('site_not_found', { details: { ids: siteId } })
  const template = await insertTemplate(tx, { ...request, name, id: uuidv7() })
  if (!template) throw nameTaken({ name, siteId })
  const details = { ...request, name }
  await recordAudit(tx, actor, { action: 'template.added', targetKind: 'template', targetId: template.id, details })
  return template
}

/** Fields that are undefined keep their value. Vouchers that were made from the template keep their limits. */
export type TemplateChange = {
  [field in Exclude<keyof TemplateRequest, 'siteId'> | 'isDefault']?: Template[field] | undefined
} & {
  /** The template moves before the one with this id; null moves it to the end. */
  before?: string | null | undefined
}

export async function setTemplate(db: Database, actor: Actor, id: string, request: TemplateChange): Promise<Template> {
  const { before: next, ...fields } = request
  return db.transaction(async (tx) => {
    const isOrdered = next !== undefined || fields.isDefault !== undefined
    const all = isOrdered ? await listTemplatesToOrder(tx) : []
    const { createdAt: _, position: __, ...before } = await findOwnTemplate(tx, actor, id)
    const wanted = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
    const changes = { ...wanted, ...newName(before, fields) }
    if (fields.isDefault) await updateNoDefault(tx, before.siteId)
    const moved = next === undefined ? undefined : await moveTemplate(tx, actor, { all, id, next })
    const template = await updateTemplate(tx, { ...before, ...changes })
    if (!template) throw nameTaken({ ...before, ...changes })
    const entry = { action: 'template.changed', targetKind: 'template', targetId: id, details: { name: before.name } }
    const difference = changed({ ...before, position: moved?.from }, { ...changes, position: moved?.to })
    await recordChange(tx, actor, entry, difference)
    return template
  })
}

/** A template without a name of its own gets a new one with its duration. */
function newName(before: Omit<TemplateRequest, 'siteId'>, { name, expireMinutes }: TemplateChange): { name?: string } {
  if (name === undefined && !(expireMinutes !== undefined && isAutomaticName(before))) return {}
  return { name: nameOf({ name: name ?? '', expireMinutes: expireMinutes ?? before.expireMinutes }) }
}

function nameOf({ name, expireMinutes }: Pick<TemplateRequest, 'name' | 'expireMinutes'>): string {
  return name === '' ? automaticName(expireMinutes) : plainName(name)
}

type Move = { all: Template[]; id: string; next: string | null }

/** Moves a template before another one that the actor sees. All others keep their order among each other. Returns its places, from 1. */
async function moveTemplate(
  tx: Queryable,
  actor: Actor,
  { all, id, next }: Move,
): Promise<{ from: number; to: number }> {
  const rest = all.flatMap((template) => (template.id === id ? [] : [template.id]))
  const target = all.find((template) => template.id === next)
  const isSeen =
    target && (target.siteId === null || (await findSite(tx, target.siteId, limitingActorId(actor))) !== undefined)
  if (next !== null && !isSeen) throw new DomainError('template_place_not_usable', { details: { id: next } })
  const from = all.findIndex((template) => template.id === id)
  const to = next === null ? rest.length : next === id ? from : rest.indexOf(next)
  await updateTemplateOrder(tx, rest.toSpliced(to, 0, id))
  return { from: from + 1, to: to + 1 }
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
