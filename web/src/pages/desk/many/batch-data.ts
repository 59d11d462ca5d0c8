import { useEffect, useSyncExternalStore } from 'react'
import type { Batch } from '../../../../../client/voucher-api.generated.ts'
import { api } from '../../../api.ts'
import { usePerson, useSession } from '../../../session.tsx'
import { isIdList, storedValue } from '../../../stored-value.ts'
import { type BatchStore, createBatchStore } from './batch-store.ts'

const stores = new Map<string, BatchStore>()

/** The request for a batch of this person in this tab, until its outcome is known. */
export function usePendingBatch() {
  const { id: personId } = usePerson()
  const store = stores.get(personId) ?? createBatchStore({ api, storage: sessionStorage, personId })
  stores.set(personId, store)
  const pending = useSyncExternalStore(store.subscribe, store.getState)
  const isSignedIn = useSession().person !== null
  useEffect(() => {
    if (isSignedIn) store.resume()
  }, [store, isSignedIn])
  return { store, pending }
}

/** Whether something is left to do: the batch is running, was stopped, or has failed rows. */
export function isOpen({ state, failed, cancelled }: Batch): boolean {
  return state === 'running' || failed + cancelled > 0
}

const leftBatches = () => storedValue({ storage: localStorage, key: 'vs.many.left', version: 1, isValid: isIdList })

/** Whether somebody left this batch at this computer with *New list*. The page does not open such a batch by itself. */
export function wasLeft(id: string): boolean {
  return leftBatches().read()?.includes(id) ?? false
}

export function rememberLeft(id: string): void {
  const left = leftBatches()
  left.write([id, ...(left.read() ?? [])].slice(0, 50))
}
