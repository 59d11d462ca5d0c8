import { useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { Batch } from '../../../../../client/voucher-api.generated.ts'
import { api } from '../../../api.ts'
import { sessionQuery } from '../../../queries/session.ts'
import { usePerson } from '../../../session.tsx'
import { type BatchStore, createBatchStore } from './batch-store.ts'

const stores = new Map<string, BatchStore>()

/** The request for a batch of this person in this tab, until its outcome is known. */
export function usePendingBatch() {
  const { id: personId } = usePerson()
  const store = stores.get(personId) ?? createBatchStore({ api, storage: sessionStorage, personId })
  stores.set(personId, store)
  const pending = useSyncExternalStore(store.subscribe, store.getState)
  const { data: session } = useQuery(sessionQuery)
  const isSignedIn = session?.person != null
  useEffect(() => {
    if (isSignedIn) store.resume()
  }, [store, isSignedIn])
  return { store, pending }
}

/** Whether something is left to do: the batch is running, was stopped, or has failed rows. */
export function isOpen({ state, failed, cancelled }: Batch): boolean {
  return state === 'running' || failed + cancelled > 0
}

const seenKey = 'vs.many.left'

/** Whether somebody left this batch at this computer with *New list*. The page does not open such a batch by itself. */
export function wasLeft(id: string): boolean {
  return readLeft().includes(id)
}

export function rememberLeft(id: string): void {
  localStorage.setItem(seenKey, JSON.stringify([id, ...readLeft()].slice(0, 50)))
}

function readLeft(): string[] {
  try {
    const ids = JSON.parse(localStorage.getItem(seenKey) ?? '[]')
    return Array.isArray(ids) ? ids : []
  } catch {
    return []
  }
}
