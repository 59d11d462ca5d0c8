import { keepPreviousData, mutationOptions, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Batch, BatchRow } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { csvExport } from './csv-export.ts'
import { pollEvery } from './polling.ts'
import { reload } from './reloads.ts'

const last = ['batches', 'last']
const listed = 5

/** The last batches of a site, whoever created them. */
export const lastBatchesQuery = (siteId: number) =>
  queryOptions({
    queryKey: [...last, siteId],
    queryFn: async () => (await api.listBatches({ site_id: [siteId], limit: listed })).batches,
    refetchInterval: pollEvery((batches?: Batch[]) => (batches?.some(isRunning) ? 3_000 : 15_000)),
  })

/** Returns a function that loads the lists of the last batches again. */
export function useReloadLastBatches(): () => void {
  const queries = useQueryClient()
  return () => void reload(queries, last)
}

export function isRunning({ state }: Batch): boolean {
  return state === 'running'
}

/** A batch and its progress. */
export const batchQuery = (id: string) =>
  queryOptions({
    queryKey: ['batches', 'one', id],
    queryFn: () => api.getBatch(id),
    refetchInterval: pollEvery((batch?: Batch) => (batch && !isRunning(batch) ? false : 1_000)),
  })

/** Stops a batch, or retries its failed and cancelled rows. */
export const changeBatch = (id: string) =>
  mutationOptions({
    mutationFn: async (change: 'cancel' | 'retry', { client }) => {
      const batch = await (change === 'cancel' ? api.cancelBatch(id) : api.retryBatch(id))
      client.setQueryData(batchQuery(id).queryKey, batch)
      void reload(client, last)
      return batch
    },
  })

export const exportBatch = (id: string) =>
  csvExport(
    () => `vouchers-${id}.csv`,
    (separator) => api.exportBatch(id, { separator }),
  )

type RowPage = { rows: BatchRow[]; next_cursor: string | null }

/**
 * The rows of a batch. They are loaded again whenever its numbers change, except for pages whose rows are all created and whose messages
 * have an outcome. After the end of the batch, they are loaded until all messages have one.
 */
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
    refetchInterval: pollEvery((rows?: BatchRow[]) =>
      !isRunning(batch) && rows?.some(hasOpenMessage) ? 5_000 : false,
    ),
  })
}

/** Whether the mail server has not answered yet. During an upgrade, older processes answer without the states of messages. */
function hasOpenMessage({ message_state: state }: BatchRow): boolean {
  return state === 'prepared' || state === 'waiting'
}

/** Rows are created from the first to the last. While the batch runs, loading stops after the first page whose rows all wait. */
async function loadPages(id: string, known: RowPage[], isPartial: boolean): Promise<RowPage[]> {
  const pages: RowPage[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const old = known[pages.length]
    const isDone = old?.rows.every((row) => row.outcome === 'made' && !hasOpenMessage(row)) ?? false
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
