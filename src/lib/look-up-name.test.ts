import type { LookupAddress } from 'node:dns'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { range } from '#test/load.ts'
import { createLookup } from './look-up-name.ts'

const addressesOf = (last: number): LookupAddress[] => [{ address: `192.0.2.${last}`, family: 4 }]
const lateMs = 1_000

/** Each lookup waits for `answer`, which answers or rejects all lookups of the name. */
function startResolver(places: { usual: number; late: number }) {
  const asked: string[] = []
  const waiting = new Map<string, PromiseWithResolvers<LookupAddress[]>>()
  const ask = (hostname: string) => {
    asked.push(hostname)
    const promise = Promise.withResolvers<LookupAddress[]>()
    waiting.set(hostname, promise)
    return promise.promise
  }
  return {
    asked,
    lookup: createLookup(ask, places),
    answer: (hostname: string, last = 1) => waiting.get(hostname)?.resolve(addressesOf(last)),
    fail: (hostname: string, code: string) => waiting.get(hostname)?.reject(Object.assign(new Error(code), { code })),
  }
}

test('callers that ask for a name at the same time share one lookup; later callers get a new one', async () => {
  const { asked, lookup, answer } = startResolver({ usual: 9, late: 9 })
  const first = range(50).map(() => lookup('a'))
  await expect.poll(() => asked).toEqual(['a'])
  answer('a')

  expect(await Promise.all(first)).toEqual(range(50).map(() => addressesOf(1)))
  void lookup('a')
  await expect.poll(() => asked).toEqual(['a', 'a'])
})

test('names that were late do not delay other names', async () => {
  const { asked, lookup, answer } = startResolver({ usual: 3, late: 2 })
  const hanging = ['h1', 'h2', 'h3']
  const first = hanging.map(lookup)
  await pause(lateMs + 200)
  for (const name of hanging) answer(name)
  await Promise.all(first)
  asked.length = 0
  for (const name of hanging) void lookup(name)
  const controller = lookup('controller')

  await expect.poll(() => asked).toEqual(['h1', 'h2', 'controller'])
  answer('controller')
  expect(await controller).toEqual(addressesOf(1))
})

test('a name that answers at once again is not late any more', async () => {
  const { asked, lookup, answer } = startResolver({ usual: 2, late: 1 })
  const again = async (name: string, waitMs: number) => {
    const lookingUp = lookup(name)
    await pause(waitMs)
    answer(name)
    await lookingUp
  }
  await Promise.all([again('h1', lateMs + 200), again('h2', lateMs + 200)])
  await again('h1', 0)
  asked.length = 0
  void lookup('h2') // occupies the only place for late names
  void lookup('h1')

  await expect.poll(() => asked).toEqual(['h2', 'h1'])
})

test('the addresses of the last answer are used if the next one is late', async () => {
  const { lookup, answer } = startResolver({ usual: 9, late: 9 })
  const first = lookup('a')
  await pause(10)
  answer('a', 1)
  await first
  const startedAt = performance.now()

  expect(await lookup('a')).toEqual(addressesOf(1))
  expect(performance.now() - startedAt).toBeGreaterThan(lateMs - 50)
  answer('a', 2)
  await pause(10)
  const third = lookup('a')
  await pause(10)
  answer('a', 3)
  expect(await third).toEqual(addressesOf(3))
})

test('the addresses of the last answer are used while no name server answers, but not if the name is gone', async () => {
  const { lookup, answer, fail } = startResolver({ usual: 9, late: 9 })
  const next = async (end: () => void) => {
    const lookingUp = lookup('a')
    await pause(10)
    end()
    return lookingUp
  }

  await expect(next(() => fail('a', 'EAI_AGAIN'))).rejects.toThrow('EAI_AGAIN')
  expect(await next(() => answer('a', 7))).toEqual(addressesOf(7))
  expect(await next(() => fail('a', 'EAI_AGAIN'))).toEqual(addressesOf(7))
  await expect(next(() => fail('a', 'ENOTFOUND'))).rejects.toThrow('ENOTFOUND')
  await expect(next(() => fail('a', 'EAI_AGAIN'))).rejects.toThrow('EAI_AGAIN')
})
