import { useEffect, useSyncExternalStore } from 'react'
import { api } from '../../api.ts'
import { useReloadVouchers } from '../../queries/vouchers.ts'
import { usePerson, useSession } from '../../session.tsx'
import { createDeskStore, type DeskStore } from './desk-store.ts'

const stores = new Map<string, DeskStore>()

/** The creations of this person in this tab. They continue while another page is shown. */
export function useDesk() {
  const { id: personId } = usePerson()
  const store = stores.get(personId) ?? createDeskStore({ api, storage: sessionStorage, personId })
  stores.set(personId, store)
  const desk = useSyncExternalStore(store.subscribe, store.getState)
  const isSignedIn = useSession().person !== null
  useEffect(() => {
    if (isSignedIn) store.resume()
  }, [store, isSignedIn])
  useReloadedLists(desk)
  return { store, desk }
}

/** A creation or an undo changes the list of vouchers, and a failed one may mean that the controller is unreachable. */
function useReloadedLists(desk: ReturnType<DeskStore['getState']>): void {
  const reloadVouchers = useReloadVouchers()
  const outcomes = [
    ...[desk.current, ...desk.aside].map((one) => one && `${one.key} ${one.status.kind}`),
    ...desk.undos.map(({ key, status }) => `${key} ${status}`),
  ].join()
  useEffect(() => {
    if (outcomes !== '') reloadVouchers({ andSites: true })
  }, [outcomes])
}
