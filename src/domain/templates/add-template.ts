import { v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { findSiteState } from '../sites/site-states.queries.ts'
import { insertTemplate, type Template } from './templates.queries.ts'

export type TemplateRequest = Omit<Template, 'id' | 'createdAt'>

export async function addTemplate(db: Database, request: TemplateRequest): Promise<Template> {
  const { siteId } = request
  const name = plainName(request.name)
  return db.transaction(async (tx) => {
    if (siteId !== null && !(await findSiteState(tx, siteId, null)))
      throw new CommandRefused(`No site has the id ${siteId}.`)
    const template = await insertTemplate(tx, { ...request, name, id: uuidv7() })
    if (!template) {
      const whose = siteId === null ? 'for all sites' : `of site ${siteId}`
      throw new CommandRefused(`A template ${whose} is called "${name}" already.`)
    }
    const { id, createdAt: _, ...details } = template
    await recordAudit(tx, { action: 'template.added', targetKind: 'template', targetId: id, details })
    return template
  })
}
