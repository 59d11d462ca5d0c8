import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { NewTemplate, Template, TemplateChange } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { loadAll } from './load-all.ts'
import { reloads } from './reloads.ts'

const all = ['templates']

/** The templates that can be used on a site. */
export const deskTemplatesQuery = (siteId: number) =>
  queryOptions({
    queryKey: [...all, siteId],
    queryFn: () => loadAll((page) => api.listTemplates({ site_id: siteId, ...page })),
    staleTime: 60_000,
  })

/** All templates, or those that can be used on one site. */
export const templatesQuery = (siteId: number | undefined) =>
  queryOptions({
    queryKey: [...all, 'settings', siteId],
    queryFn: () => loadAll((page) => api.listTemplates({ ...(siteId !== undefined && { site_id: siteId }), ...page })),
  })

export const createTemplate = mutationOptions({
  mutationFn: (template: NewTemplate) => api.createTemplate(template),
  ...reloads(all),
})

export const updateTemplate = (id: string) =>
  mutationOptions({ mutationFn: (change: TemplateChange) => api.updateTemplate(id, change), ...reloads(all) })

type Move = { template: Template; before: string | null; templates: Template[] }

/** Moves a template before another one, or to the end. The settings show the list with its new order at once. */
export const moveTemplate = (siteId: number | undefined) =>
  mutationOptions({
    mutationFn: ({ template, before }: Move) => api.updateTemplate(template.id, { before }),
    onMutate: ({ templates }, { client }) => client.setQueryData(templatesQuery(siteId).queryKey, templates),
    ...reloads(all),
  })

export const deleteTemplate = (id: string) =>
  mutationOptions({ mutationFn: () => api.deleteTemplate(id), ...reloads(all) })
