import { useState } from 'react'
import type { Site, Template } from '../../../../client/voucher-api.generated.ts'
import { deskSiteKey } from '../../queries/desk.ts'
import { useFindSite } from '../../sites.ts'

const templateKey = (siteId: number) => `vs.desk.template.${siteId}`

/** More sites are not buttons but a list with a search. */
export const mostSiteButtons = 6

/**
 * The site of the desk: the chosen site of the app or, if the app shows all sites, the last choice at the desk. Without a last choice
 * it is the first of a few sites, which are all visible. Among many sites nobody would notice a wrong one, so there is none.
 */
export function useDeskSite(sites: Site[], scope: Site | undefined) {
  const [chosen, setChosen] = useState(() => Number(localStorage.getItem(deskSiteKey)))
  const choose = (siteId: number) => {
    localStorage.setItem(deskSiteKey, String(siteId))
    setChosen(siteId)
  }
  const find = useFindSite()
  const last = scope === undefined && chosen > 0 ? find(chosen) : null
  const first = sites.length <= mostSiteButtons ? sites[0] : undefined
  return { site: scope ?? (last?.active ? last : first), choose }
}

/** The default template of the site, otherwise the one for all sites. */
export function defaultTemplate(templates: Template[]): Template | undefined {
  const defaults = templates.filter((template) => template.is_default)
  return defaults.find((template) => template.site_id !== null) ?? defaults[0]
}

/** The template that the desk begins with: the default, otherwise the last one that was used on this computer. */
export function firstTemplate(siteId: number, templates: Template[]): Template | undefined {
  const id = localStorage.getItem(templateKey(siteId))
  return defaultTemplate(templates) ?? templates.find((template) => template.id === id) ?? templates[0]
}

export function rememberTemplate(siteId: number, templateId: string): void {
  localStorage.setItem(templateKey(siteId), templateId)
}

const emailKey = 'vs.desk.email'

/** Whether this computer shows the fields for an e-mail from the beginning: if the last guest got one. */
export const showsEmailFields = () => localStorage.getItem(emailKey) !== null

export function rememberEmailFields(areShown: boolean): void {
  if (areShown) localStorage.setItem(emailKey, 'shown')
  else localStorage.removeItem(emailKey)
}
