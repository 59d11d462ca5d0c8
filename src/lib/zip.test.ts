import { expect, test } from 'vitest'
import { readZip } from '#test/read-zip.ts'
import { zip } from './zip.ts'

test('the files come out as they went in', () => {
  const content = 'Käse 🧀\n'.repeat(10_000)
  const file = zip(
    [
      { name: 'a.json', content: Buffer.from(content) },
      { name: 'empty.html', content: Buffer.alloc(0) },
    ],
    new Date('2026-11-19T04:05:06Z'),
  )

  expect(readZip(file)).toEqual({ 'a.json': content, 'empty.html': '' })
  expect(file.length).toBeLessThan(2_000)
})

test('a file has the fields of the format, with the time in UTC', () => {
  const file = zip([{ name: 'a', content: Buffer.from('aaaaaaaaaaaaaaaaaaaa') }], new Date('2026-11-19T04:05:06Z'))

  // signature, version 2.0, flags, deflate, 04:05:06, 2026-11-19, CRC-32, lengths, name
  expect(file.subarray(0, 31).toString('hex')).toBe('504b0304140000000800a320735dce8b6f2605000000140000000100000061')
})
