import { queryOptions } from '@tanstack/react-query'
import type { Webhook } from '../../client/voucher-api.generated.ts'
import { listAll } from '../../client/voucher-client.ts'
import { api } from './api.ts'

/** All webhooks of the person, for their page and for the number of failures in the navigation. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'all'],
  queryFn: async () => {
    const webhooks: Webhook[] = []
    for await (const webhook of listAll((page) => api.listWebhooks({ limit: 200, ...page }))) webhooks.push(webhook)
    return webhooks.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
  },
})

/** Disabled webhooks come first, then those that fail, because they need attention. */
function rank({ disabled_at, failing_since }: Webhook): number {
  if (disabled_at) return 0
  return failing_since ? 1 : 2
}
