import { expect, test } from 'vitest'
import type { Voucher } from '../../../../client/voucher-api.generated.ts'
import type { Creation } from './creation.ts'
import { limitsOf } from './desk-input.ts'
import { forgetGuests } from './forget-guests.ts'
import type { Undo } from './undo.ts'

const voucher = { id: '1-a', formatted_code: '48273-91056' } as Voucher
const creation = (name: string, status: Creation['status']): Creation => {
  const input = { name, choice: 't', limits: limitsOf(undefined, 'UTC') }
  return { key: `key of ${name}`, request: { site_id: 1, name }, input, startedAt: 1, status }
}
const unknown = { kind: 'unknown' as const, since: 1, wasLost: true, trouble: null, requestId: null }

const undo = (key: string, status: Undo['status']): Undo => ({ key, voucher, startedAt: 1, status })

/** A storage with these values. Like the one of a browser, it has its keys as properties. */
function storageWith(values: Record<string, unknown>): Storage {
  const texts = Object.entries(values).map(([key, value]) => [key, JSON.stringify({ version: 1, value })])
  const stored: Record<string, string> = Object.fromEntries(texts)
  const methods = {
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, text: string) => void Object.assign(stored, { [key]: text }),
    removeItem: (key: string) => void delete stored[key],
  }
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(stored, name, { value })
  return stored as unknown as Storage
}

test('what was typed and what is settled is removed, creations and undos with an open outcome keep their keys', () => {
  const storage = storageWith({
    'vs.desk.anna': {
      current: creation('Huber', unknown),
      aside: [creation('Maier', { kind: 'made', voucher }), creation('Bauer', { kind: 'sending' })],
      undos: [undo('u1', 'accepted'), undo('u2', 'revoked'), undo('u3', 'failed')],
    },
    'vs.desk.ben': { current: creation('Gruber', { kind: 'made', voucher }), aside: [] },
    'vs.desk.anna.input.1': { name: 'Wagner' },
    'vs.many.draft.anna.1': { text: 'Steiner' },
    'vs.many.anna': { key: 'k', request: { names: ['Moser'] }, status: { kind: 'lost' } },
    'vs.many.ben': { key: 'k', request: { names: ['Pichler'] }, status: { kind: 'rejected', message: '' } },
    'vs.reloaded-bundle': 'x',
  })
  forgetGuests(storage)

  expect(Object.keys(storage).toSorted()).toEqual(['vs.desk.anna', 'vs.many.anna', 'vs.reloaded-bundle'])
  const { current, aside, undos } = JSON.parse(storage.getItem('vs.desk.anna') ?? '').value
  expect(current).toBeNull()
  expect(undos.map(({ key }: Undo) => key)).toEqual(['u1'])
  expect(aside.map(({ key }: Creation) => key)).toEqual(['key of Huber', 'key of Bauer'])
  expect(JSON.parse(storage.getItem('vs.many.anna') ?? '').value.request.names).toEqual(['Moser'])
})

test('a broken value is removed', () => {
  const storage = storageWith({})
  storage.setItem('vs.desk.anna', '{"current":')
  forgetGuests(storage)

  expect(storage.getItem('vs.desk.anna')).toBeNull()
})
