import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { Batch, BatchRow } from '../../../../../client/voucher-api.generated.ts'
import { api } from '../../../api.ts'
import { sessionQuery, usePerson } from '../../../session.tsx'
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

const listed = 5

/** The last batches of a site, whoever created them. */
export function useLastBatches(siteId: number) {
  return useQuery({
    queryKey: ['batches', 'last', siteId],
    queryFn: async () => (await api.listBatches({ site_id: [siteId], limit: listed })).batches,
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? 3_000 : 15_000),
  })
}

export function isRunning({ state }: Batch): boolean {
  return state === 'running'
}

/** Whether something is left to do: the batch is running, was stopped, or has failed rows. */
export function isOpen({ state, failed, cancelled }: Batch): boolean {
  return state === 'running' || failed + cancelled > 0
}

/** A batch and its progress. */
export function useBatch(id: string) {
  return useQuery({
    queryKey: ['batches', 'one', id],
    queryFn: () => api.getBatch(id),
    refetchInterval: ({ state }) => (state.data && !isRunning(state.data) ? false : 1_000),
  })
}

/** Stops a batch, or retries its failed and cancelled rows. */
export function useBatchChange(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: 'cancel' | 'retry') => (change === 'cancel' ? api.cancelBatch(id) : api.retryBatch(id)),
    onSuccess: (batch) => {
      queries.setQueryData(['batches', 'one', id], batch)
      void queries.invalidateQueries({ queryKey: ['batches', 'last'] })
    },
  })
}

type RowPage = { rows: BatchRow[]; next_cursor: string | null }

/** The rows of a batch. They are loaded again whenever its numbers change, except for pages whose rows are all created. */
export function useBatchRows(batch: Batch) {
  const queries = useQueryClient()
  const { id, state, made, failed, cancelled, under_way: underWay } = batch
  const pagesKey = ['batches', 'pages', id]
  return useQuery({
    queryKey: ['batches', 'rows', id, state, made, failed, cancelled, underWay],
    queryFn: async () => {
      const pages = await loadPages(id, queries.getQueryData<RowPage[]>(pagesKey) ?? [], isRunning(batch))
      queries.setQueryData(pagesKey, pages)
      return pages.flatMap(({ rows }) => rows)
    },
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })
}

/** Rows are created from the first to the last. While the batch runs, loading stops after the first page whose rows all wait. */
async function loadPages(id: string, known: RowPage[], isPartial: boolean): Promise<RowPage[]> {
  const pages: RowPage[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const old = known[pages.length]
    const isDone = old?.rows.every(({ outcome }) => outcome === 'made') ?? false
    const page: RowPage =
      old && isDone && old.next_cursor !== null
        ? old
        : await api.listBatchRows(id, { limit: 200, ...(cursor !== undefined && { cursor }) })
    pages.push(page)
    if (isPartial && page.rows.every(({ outcome }) => outcome === 'waiting')) break
    cursor = page.next_cursor
  }
  return pages
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
