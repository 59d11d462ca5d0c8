import { queryOptions } from '@tanstack/react-query'
import type { Webhook } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { loadAll } from './load-all.ts'

/** The beginning of the keys of all queries for webhooks. */
export const allWebhooks = ['webhooks']

/** All webhooks of the person, for their page and for the number of failures in the navigation. */
export const webhooksQuery = queryOptions({
  queryKey: [...allWebhooks, 'all'],
  queryFn: async () => {
    const webhooks = await loadAll((page) => api.listWebhooks(page))
    return webhooks.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
  },
})

/** Disabled webhooks come first, then those that fail, because they need attention. */
function rank({ disabled_at, failing_since }: Webhook): number {
  if (disabled_at) return 0
  return failing_since ? 1 : 2
}
