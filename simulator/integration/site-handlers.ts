import { siteProperties } from './filter-properties.ts'
import type { Handler } from './handler.ts'
import { readPage } from './page.ts'

export const getInfo: Handler = ({ behaviour }) => ({
  status: 200,
  json: { applicationVersion: behaviour.version },
})

export const listSites: Handler = ({ store }, request) => {
  const rules = { defaultLimit: 25, maxLimit: 200, properties: siteProperties }
  return { status: 200, json: readPage(store.sites, request.query, rules) }
}
