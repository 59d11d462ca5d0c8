import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { client, create, useTestBench, visit, vouchers } from '../test-bench.ts'
import type { Request } from '../test-client.ts'

useTestBench()

const unpacked = async (path: string, options?: Request) => {
  const { status, headers, bytes } = await client.integration(path, options)
  expect([headers.get('content-encoding'), headers.get('content-type')]).toEqual([null, 'application/json'])
  return { status, bytes, text: gunzipSync(bytes).toString() }
}

test('answers of the Integration API are compressed without a header, and the log counts compressed bytes', async () => {
  await client.behave({ gzipUnlabelled: true })

  const made = await unpacked(vouchers, { method: 'POST', body: visit })
  expect([made.status, JSON.parse(made.text).vouchers]).toEqual([201, [expect.objectContaining(visit)]])
  const refused = await unpacked('/sites/default/hotspot/vouchers')
  expect(JSON.parse(refused.text)).toMatchObject({ statusCode: 400 })
  const wrongKey = await unpacked('/info', { headers: { 'x-api-key': 'wrong' } })
  expect(JSON.parse(wrongKey.text)).toMatchObject({ error: { code: 401 } })
  expect((await client.control('/requests')).json()).toMatchObject(
    [made, refused, wrongKey].map(({ status, bytes }) => ({ status, replyBytes: bytes.length })),
  )
  await client.behave({ gzipUnlabelled: false })
  expect((await create()).json().vouchers).toHaveLength(1)
})

test('the classic API and /control are never compressed', async () => {
  await client.behave({ gzipUnlabelled: true })

  expect((await client.call('/proxy/network/api/self/sites')).json()).toMatchObject({ error: { code: 401 } })
  expect((await client.control('/vouchers')).json()).toEqual([])
})

test('64 MiB of JSON are small when compressed', async () => {
  await client.behave({ gzipUnlabelled: true })
  await client.control('/faults', { on: 'list', kind: 'huge' })

  const { bytes, text } = await unpacked(vouchers)
  expect(bytes.length).toBeLessThan(1024 * 1024)
  expect(text.length).toBeGreaterThan(60 * 1024 * 1024)
  expect((await client.control('/requests')).json()).toMatchObject([{ replyBytes: bytes.length }])
})

test('a compressed answer can drip', async () => {
  await client.behave({ gzipUnlabelled: true })
  await client.control('/faults', { on: 'any', kind: 'slow-drip', delayMs: 1 })

  expect(JSON.parse((await unpacked('/info')).text)).toHaveProperty('applicationVersion')
})
