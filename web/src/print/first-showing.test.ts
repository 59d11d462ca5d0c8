import { expect, test } from 'vitest'
import { claimFirstShowing } from './first-showing.ts'

function newStorage() {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  }
}

test('a voucher is claimed once, also after many others', () => {
  const storage = newStorage()
  expect(claimFirstShowing('7-a', storage)).toBe(true)
  for (let i = 0; i < 99; i++) expect(claimFirstShowing(`7-${i}`, storage)).toBe(true)

  expect(claimFirstShowing('7-a', storage)).toBe(false)
})

test('a storage that keeps nothing claims nothing', () => {
  const full = () => {
    throw new Error('QuotaExceededError')
  }

  expect(claimFirstShowing('7-a', { ...newStorage(), setItem: full })).toBe(false)
  expect(claimFirstShowing('7-a', { ...newStorage(), setItem: () => {} })).toBe(false)
})
