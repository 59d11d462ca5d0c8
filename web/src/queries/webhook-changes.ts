import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { NewWebhook, Replay, WebhookChange } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { pollEvery } from './polling.ts'
import { reloads } from './reloads.ts'
import { allWebhooks } from './webhooks.ts'

type DeliveryFilter = { limit: number; state?: 'failed' | 'pending'; cursor?: string }

/** A page of the log of a webhook. It is loaded more often while deliveries are pending. */
export const deliveriesQuery = (webhookId: string, filter: DeliveryFilter) =>
  queryOptions({
    queryKey: [...allWebhooks, webhookId, 'deliveries', filter],
    queryFn: () => api.listDeliveries(webhookId, filter),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery((data?: { pending: number }) => (data && data.pending > 0 ? 3_000 : 10_000)),
  })

/** How many deliveries have failed since a time. */
export const failedSinceQuery = (webhookId: string, since: string) =>
  queryOptions({
    queryKey: [...allWebhooks, webhookId, 'deliveries', 'failed since', since],
    queryFn: async () => (await api.listDeliveries(webhookId, { state: 'failed', since, limit: 1 })).failed,
  })

export const createWebhook = mutationOptions({
  mutationFn: (webhook: NewWebhook) => api.createWebhook(webhook),
  ...reloads(allWebhooks),
})

export const updateWebhook = (id: string) =>
  mutationOptions({ mutationFn: (change: WebhookChange) => api.updateWebhook(id, change), ...reloads(allWebhooks) })

export const enableWebhook = (id: string) =>
  mutationOptions({ mutationFn: () => api.enableWebhook(id), ...reloads(allWebhooks) })

export const testWebhook = (id: string) =>
  mutationOptions({ mutationFn: () => api.testWebhook(id), ...reloads(allWebhooks) })

export const rotateWebhookSecret = (id: string) =>
  mutationOptions({ mutationFn: () => api.rotateWebhookSecret(id), ...reloads(allWebhooks) })

export const deleteWebhook = (id: string) =>
  mutationOptions({ mutationFn: () => api.deleteWebhook(id), ...reloads(allWebhooks) })

export const replayDeliveries = (id: string) =>
  mutationOptions({ mutationFn: (which: Replay) => api.replayDeliveries(id, which), ...reloads(allWebhooks) })
