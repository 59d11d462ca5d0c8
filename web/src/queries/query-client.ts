import { QueryClient } from '@tanstack/react-query'
import { toApiError } from '../api.ts'

/** A retry helps only if there was no answer, or if the service failed. */
function canRepeat(failures: number, error: unknown): boolean {
  const { status } = toApiError(error)
  return failures < 2 && (status === 0 || status >= 500)
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: canRepeat, staleTime: 10_000, networkMode: 'always' },
      mutations: { networkMode: 'always' }, // a local network without internet is not "offline"
    },
  })
}
