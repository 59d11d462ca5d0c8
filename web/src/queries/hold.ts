import { queryOptions } from '@tanstack/react-query'
import { api } from '../api.ts'
import { pollEvery } from './polling.ts'

/** Whether the service is held after a restore. */
export const holdQuery = queryOptions({
  queryKey: ['hold'],
  queryFn: () => api.getHold(),
  refetchInterval: pollEvery(60_000),
})
