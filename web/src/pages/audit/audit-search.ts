import { oneOf, type PagePosition, pagePosition, searchReader, text, textLike } from '../../search-params.ts'

export const actorKinds = ['staff', 'key', 'command', 'service'] as const
export const actionGroups = [
  'staff',
  'site',
  'controller',
  'key',
  'webhook',
  'template',
  'voucher',
  'settings',
] as const
export const periods = ['1', '7', '30'] as const

/** The filters of the page, as they are in the address. */
export type AuditSearch = PagePosition & {
  /** Part of a name or of an action. */
  q?: string | undefined
  who?: (typeof actorKinds)[number] | undefined
  /** The id of a person or a key. */
  actor?: string | undefined
  group?: (typeof actionGroups)[number] | undefined
  days?: (typeof periods)[number] | undefined
  /** Kind and id of one thing: `site:7`. */
  target?: string | undefined
}

export const readAuditSearch: (search: Record<string, unknown>) => AuditSearch = searchReader({
  q: text,
  who: oneOf(actorKinds),
  actor: textLike(/^[0-9a-f-]{36}$/),
  group: oneOf(actionGroups),
  days: oneOf(periods),
  target: textLike(/^[a-z_]+:[0-9a-f-]+$/),
  ...pagePosition,
})

/** The filters as the API takes them. Some groups of the page are several groups of the API. */
export function toQuery({ q, who, actor, group, days, target }: AuditSearch, now = Date.now()) {
  const [kind, id] = target?.split(':') ?? []
  return {
    ...(q?.trim() && { text: q.trim() }),
    ...(who && { actor_kind: who }),
    ...(actor && { actor_id: actor }),
    ...(group && { action: group === 'voucher' ? ['voucher', 'vouchers'] : [group] }),
    ...(days && { after: new Date(now - Number(days) * 86_400_000).toISOString() }),
    ...(kind && id && { target_kind: kind, target_id: id }),
  }
}
