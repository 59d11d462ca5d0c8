import { expect, test } from 'vitest'
import { placeAfterMove } from './place-after-move.ts'

const rows = ['a', 'b', 'c'].map((id) => ({ id }))

test.each([
  ['a', 1, 'bac', 'c'],
  ['a', 2, 'bca', null],
  ['c', 0, 'cab', 'a'],
  ['b', 1, undefined, undefined],
  ['a', -1, undefined, undefined],
  ['c', 3, undefined, undefined],
  ['x', 1, undefined, undefined],
])('%s moves to place %i: %s, before %s', (id, to, order, before) => {
  const moved = placeAfterMove(rows, id, to)

  expect(moved?.templates.map((row) => row.id).join('')).toBe(order)
  expect(moved?.before).toBe(before)
})
