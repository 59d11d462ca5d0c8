import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { KeyChange, KeyRoll, NewKey } from '../../../client/voucher-api.generated.ts'
import { api, randomKey } from '../api.ts'
import { loadAll } from './load-all.ts'
import { pollEvery } from './polling.ts'
import { reloads } from './reloads.ts'

/** All API keys, loaded once and searched in the browser. The service writes counts every 10 seconds. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: () => loadAll((page) => api.listKeys(page)),
  refetchInterval: pollEvery(10_000),
})

const reloadsKeys = reloads(keysQuery.queryKey)

/**
 * Creates a key. Make one of these for each dialog: a second click or a repeat after a lost answer has the same Idempotency-Key, so it
 * creates no second key. Other contents are a new request.
 */
export function createKey() {
  let last = { contents: '', idempotencyKey: '' }
  return mutationOptions({
    mutationFn: (key: NewKey) => {
      const contents = JSON.stringify(key)
      if (last.contents !== contents) last = { contents, idempotencyKey: randomKey() }
      return api.createKey(key, { idempotencyKey: last.idempotencyKey })
    },
    ...reloadsKeys,
  })
}

export const updateKey = (id: string) =>
  mutationOptions({ mutationFn: (change: KeyChange) => api.updateKey(id, change), ...reloadsKeys })

export const rollKey = (id: string) =>
  mutationOptions({ mutationFn: (roll: KeyRoll) => api.rollKey(id, roll), ...reloadsKeys })

export const revokeKey = (id: string) => mutationOptions({ mutationFn: () => api.revokeKey(id), ...reloadsKeys })
