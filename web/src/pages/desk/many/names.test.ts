import { expect, test } from 'vitest'
import { readNames, withoutDoubles } from './names.ts'

test('each line that is not empty is a name, without the spaces around it', () => {
  expect(readNames('Zimmer 101\r\n\r\n  Zimmer 102 \nZimmer\t103\n')).toEqual({
    names: ['Zimmer 101', 'Zimmer 102', 'Zimmer 103'],
    doubles: [],
    tooLongLine: null,
  })
})

test('a name that was in an earlier line is a double', () => {
  expect(readNames('Huber\nMaier\nHuber \nHUBER').doubles).toEqual(['Huber', 'HUBER'])
  expect(readNames('Zimmer 2\tMaier\nZimmer 2  Maier').doubles).toEqual(['Zimmer 2  Maier'])
})

test('a list without doubles keeps the first line of each name', () => {
  expect(withoutDoubles('Huber\n\nMaier\nhuber\nZimmer\t3')).toBe('Huber\nMaier\nZimmer 3')
})

test('a name that is too long is found by its line', () => {
  expect(readNames(`Huber\n\n${'x'.repeat(245)}`).tooLongLine).toBe(3)
  expect(readNames('🏨'.repeat(244)).tooLongLine).toBeNull()
})
