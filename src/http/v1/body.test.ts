import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseBody } from './lenient-input.ts'

const text = (value: string) => parseBody(Buffer.from(value))

test.each([
  ['', 'empty'],
  ['null', 'null'],
  ['5', 'a number'],
  ['"x"', 'a string'],
  ['true', 'a boolean'],
  ['[{"site_id":1}]', 'a list'],
  ['{"site_id":1', 'truncated'],
  ['site_id=1&name=x', 'form-encoded'],
  ['\ufeff{"site_id":1}', 'with a byte order mark'],
  ["{'site_id':1}", 'not JSON'],
])('%j (%s) is an empty object', (body) => {
  expect(text(body)).toEqual({})
})

test('invalid UTF-8 is an empty object', () => {
  expect(parseBody(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toEqual({})
})

test('of duplicate members the last one wins', () => {
  expect(text('{"site_id":1,"site_id":2}')).toEqual({ site_id: 2 })
})

test('__proto__ is dropped, at any depth', () => {
  const body = text('{"__proto__":{"site_id":1},"qos":{"__proto__":{"down":5},"up":1}}') as any

  expect(body.site_id).toBeUndefined()
  expect(body.qos.down).toBeUndefined()
  expect(Object.keys(body.qos)).toEqual(['up'])
})

test('a lone surrogate anywhere makes the body unreadable; a pair does not', () => {
  expect(text('{"site_id":1,"name":"a\\ud800b"}')).toEqual({})
  expect(text('{"site_id":1,"\\udc00":1}')).toEqual({})
  expect(text('{"site_id":1,"x":["\\udfff"]}')).toEqual({})
  expect(text('{"name":"\\ud83d\\ude00"}')).toEqual({ name: '😀' })
})

test('a body nested as deep as it can be is read or rejected, without an exception', () => {
  expect(text(`{"qos":${'['.repeat(32_000)}${']'.repeat(32_000)}}`)).toBeTypeOf('object')
})

test('any bytes give an object and no exception', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(typeof parseBody(Buffer.from(bytes))).toBe('object')
    }),
  )
})
