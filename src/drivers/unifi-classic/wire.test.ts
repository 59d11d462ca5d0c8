import { expect, test } from 'vitest'
import { dataFromWire } from './wire.ts'

const voucher = { create_time: 1_783_934_400 }

test.each<[string, unknown]>([
  ['an envelope that says ok', { meta: { rc: 'ok' }, data: [voucher] }],
  ['an error that is null', { error: null, meta: { rc: 'ok' }, data: [voucher] }],
])('%s: the data is returned', (_, reply) => {
  expect(dataFromWire(reply)).toEqual([voucher])
})

test.each<[string, unknown, string, string]>([
  ['an error in a 200', { meta: { rc: 'error', msg: 'x' }, data: [] }, 'rejected', 'refused'],
  ['the gateway says 400 in a 200', { error: { code: 400 } }, 'rejected', 'refused'],
  ['the gateway says 504 in a 200', { error: { code: 504 } }, 'failed', 'unknown'],
  ['the gateway says nothing clear', { error: { message: 'x' } }, 'failed', 'unknown'],
  ['no result', { meta: {}, data: [voucher] }, 'no_voucher', 'unknown'],
  ['no envelope', { data: [voucher] }, 'no_voucher', 'unknown'],
  ['no data', { meta: { rc: 'ok' } }, 'no_voucher', 'unknown'],
])('%s: an error with the right outcome', (_, reply, failure, outcome) => {
  expect(() => dataFromWire(reply)).toThrow(expect.objectContaining({ failure, outcome }))
})
