import { expect, test } from 'vitest'
import { createRenderedLists, getOrRender } from './rendered-lists.ts'

const now = '2026-11-14T09:30:00.000Z'
const later = '2026-11-14T09:31:00.000Z'

test('requests for a list that has just changed share one rendering; another version has its own', async () => {
  const lists = createRenderedLists(1)
  let rendered = 0
  const render = async () => {
    rendered += 1
    return { validUntil: null, body: Buffer.from(`list ${rendered}`) }
  }

  const get = (version: string) => getOrRender(lists, 'site', { version, now }, render)
  const bodies = await Promise.all([get('a'), get('a'), get('b'), get('a')])

  expect(bodies.map(String)).toEqual(['list 1', 'list 1', 'list 2', 'list 1'])
  expect(lists.underWay.size).toBe(0)
})

test('a request does not use a rendering that is no longer valid at its time', async () => {
  const lists = createRenderedLists(1)
  const get = (at: string, text: string) =>
    getOrRender(lists, 'site', { version: 'a', now: at }, async () => ({ validUntil: later, body: Buffer.from(text) }))

  const bodies = await Promise.all([get(now, 'valid'), get(now, 'joined'), get(later, 'expired')])

  expect(bodies.map(String)).toEqual(['valid', 'valid', 'expired'])
})

test('a rendering that fails is not kept', async () => {
  const lists = createRenderedLists(1)
  const failing = () => Promise.reject(new Error('lost'))

  await expect(getOrRender(lists, 'site', { version: 'a', now }, failing)).rejects.toThrow('lost')
  const body = await getOrRender(lists, 'site', { version: 'a', now }, async () => ({
    validUntil: null,
    body: Buffer.from('list'),
  }))

  expect(String(body)).toBe('list')
})

test('a small list has its own memory, so that the limit counts all memory that it uses', async () => {
  const lists = createRenderedLists(1)
  const render = async () => ({ validUntil: null, body: Buffer.from('small') })

  const body = await getOrRender(lists, 'site', { version: 'a', now }, render)

  expect(body.buffer.byteLength).toBe('small'.length)
})
