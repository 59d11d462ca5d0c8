import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Site, Template } from '../../../../client/voucher-api.generated.ts'
import { listAll } from '../../../../client/voucher-client.ts'
import { api } from '../../api.ts'
import { usePerson, useSession } from '../../session.tsx'
import { createDeskStore, type DeskStore } from './desk-store.ts'

const recentCount = 5

/** The templates that can be used on a site, the shortest first. */
export function useTemplates(siteId: number) {
  return useQuery({
    queryKey: ['templates', siteId],
    queryFn: async () => {
      const templates: Template[] = []
      const pages = listAll((page) => api.listTemplates({ site_id: siteId, limit: 200, ...page }))
      for await (const template of pages) templates.push(template)
      return templates.toSorted((a, b) => a.expire_minutes - b.expire_minutes || a.name.localeCompare(b.name))
    },
    staleTime: 60_000,
  })
}

/** The newest vouchers of a site, whoever made them. */
export function useRecentVouchers(siteId: number) {
  return useQuery({
    queryKey: ['vouchers', 'recent', siteId],
    queryFn: async () => (await api.listVouchers({ site_id: [siteId], limit: recentCount })).vouchers,
    refetchInterval: 15_000,
  })
}

const stores = new Map<string, DeskStore>()

/** The creations of this person in this tab. They continue while another page is shown. */
export function useDesk() {
  const { id: personId } = usePerson()
  const store = stores.get(personId) ?? createDeskStore({ api, storage: sessionStorage, personId, isOnline })
  stores.set(personId, store)
  const desk = useSyncExternalStore(store.subscribe, store.getState)
  const isSignedIn = useSession().person !== null
  useEffect(() => {
    if (isSignedIn) store.resume()
  }, [store, isSignedIn])
  useReloadedLists(desk)
  return { store, desk }
}

const isOnline = () => navigator.onLine

/** A creation changes the list of vouchers, and a failed one may mean that the controller is unreachable. */
function useReloadedLists(desk: ReturnType<DeskStore['getState']>): void {
  const queries = useQueryClient()
  const outcomes = [desk.current, ...desk.aside].map((one) => one && `${one.key} ${one.status.kind}`).join()
  useEffect(() => {
    if (outcomes === '') return
    void queries.invalidateQueries({ queryKey: ['vouchers'] })
    void queries.invalidateQueries({ queryKey: ['sites'] })
  }, [queries, outcomes])
}

const siteKey = 'vs.desk.site'
const templateKey = (siteId: number) => `vs.desk.template.${siteId}`

/** The site of the desk: the chosen site of the app or, if the app shows all sites, the last choice at the desk. */
export function useDeskSite(sites: Site[], scope: Site | undefined) {
  const [chosen, setChosen] = useState(() => Number(localStorage.getItem(siteKey)))
  const choose = (siteId: number) => {
    localStorage.setItem(siteKey, String(siteId))
    setChosen(siteId)
  }
  return { site: scope ?? sites.find(({ id }) => id === chosen), choose }
}

export function lastTemplate(siteId: number, templates: Template[]): Template | undefined {
  const id = localStorage.getItem(templateKey(siteId))
  return templates.find((template) => template.id === id) ?? templates[0]
}

export function rememberTemplate(siteId: number, templateId: string): void {
  localStorage.setItem(templateKey(siteId), templateId)
}

/** The current time, updated every second while it is needed. */
export function useSeconds(isOn: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isOn) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isOn])
  return now
}
