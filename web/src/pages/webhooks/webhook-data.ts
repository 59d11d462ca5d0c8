import type { Attempt, Webhook } from '../../../../client/voucher-api.generated.ts'
import { usePerson } from '../../session.tsx'

/** Webhooks for all sites belong to administrators. */
export function useMayChange({ all_sites }: Webhook): boolean {
  const { role } = usePerson()
  return !all_sites || role === 'admin'
}

type Outcome = Pick<Attempt, 'status' | 'failure'>

/** The key, after `webhooks.why-`, of the text about what a failed attempt usually means. */
export function meaningOf({ status, failure }: Outcome) {
  if (failure !== 'status' || status === null) return noStatus(failure)
  if (status === 404 || status === 410 || status === 429) return status
  if (status === 401 || status === 403) return '401'
  if (status >= 500) return '5xx'
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

/** A failure without a status. A kind that a newer version has added is shown as a broken connection. */
export function noStatus(failure: Outcome['failure']) {
  const known = ['timeout', 'name', 'tls', 'refused', 'connection', 'incomplete', 'forbidden', 'secrets'] as const
  return known.find((kind) => kind === failure) ?? 'connection'
}

export const eventKeys = {
  'voucher.created': 'webhooks.event-voucher-created',
  'voucher.first_used': 'webhooks.event-voucher-first-used',
  'voucher.expired': 'webhooks.event-voucher-expired',
  'voucher.revoked': 'webhooks.event-voucher-revoked',
  'batch.finished': 'webhooks.event-batch-finished',
  'controller.unreachable': 'webhooks.event-controller-unreachable',
  'controller.reachable': 'webhooks.event-controller-reachable',
} as const satisfies Record<Webhook['events'][number], string>

export const formats = ['generic', 'slack', 'mattermost', 'rocket-chat', 'discord', 'teams'] as const
