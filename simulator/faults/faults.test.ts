import { expect, test } from 'vitest'
import { client, create, useTestBench, visit } from '../test-bench.ts'

useTestBench()

test('faults apply in order to the operation they are set on, each as often as it says', async () => {
  await client.control('/faults', { on: 'delete', kind: 'forbidden' })
  await client.control('/faults', { on: 'create', kind: 'refuse', times: 2 })
  await client.control('/faults', { on: 'any', kind: 'not-found' })

  const statuses: number[] = []
  for (let n = 0; n < 4; n++) statuses.push((await create()).status)
  expect(statuses).toEqual([400, 400, 404, 201])
  expect((await client.control('/faults')).json()).toEqual([{ on: 'delete', kind: 'forbidden', times: 1, delayMs: 0 }])
  expect((await client.control('/faults', undefined, 'DELETE')).json()).toEqual({ deleted: 1 })
  expect((await client.control('/faults', { on: 'create', kind: 'nope' })).status).toBe(400)
  expect((await client.control('/faults', { on: 'nope', kind: 'reset' })).status).toBe(400)
})

test.each([
  { kind: 'refuse', status: 400, created: 0 },
  { kind: 'unauthorized', status: 401, created: 0 },
  { kind: 'forbidden', status: 403, created: 0 },
  { kind: 'not-found', status: 404, created: 0 },
  { kind: 'too-many', status: 429, created: 0 },
  { kind: 'server-error', status: 500, created: 0 },
  { kind: 'gateway-html', status: 502, created: 0 },
  { kind: 'gateway-timeout', status: 504, created: 1 },
  { kind: 'unavailable', status: 503, created: 0 },
  { kind: 'html-ok', status: 200, created: 0 },
  { kind: 'empty', status: 201, created: 0 },
  { kind: 'no-code', status: 201, created: 1 },
  { kind: 'bad-code', status: 201, created: 1 },
  { kind: 'truncated', status: 201, created: 1 },
  { kind: 'created-then-error', status: 500, created: 1 },
  { kind: 'slow', status: 201, created: 1 },
  { kind: 'huge', status: 200, created: 0 },
  { kind: 'extra-fields', status: 201, created: 1 },
  { kind: 'deep', status: 201, created: 0 },
])('the fault $kind answers $status and creates $created', async ({ kind, status, created }) => {
  await client.control('/faults', { on: 'create', kind, ...(kind === 'slow' && { delayMs: 150 }) })

  const start = performance.now()
  const answer = await create()
  expect(answer.status).toBe(status)
  expect(await client.made()).toHaveLength(created)
  expect((await client.control('/requests')).json()).toMatchObject([{ status }])
  if (kind === 'too-many') expect(answer.headers.get('retry-after')).toBe('1')
  if (kind === 'gateway-timeout') expect(answer.json()).toEqual({ error: { code: 504, message: 'Gateway Timeout' } })
  if (kind === 'unavailable') expect(answer.json()).toEqual({ error: { code: 503, message: 'Service Unavailable' } })
  if (kind === 'unavailable') expect(answer.headers.get('retry-after')).toBe('5')
  if (kind.includes('html')) expect(answer.text).toContain('<html>')
  if (kind === 'empty') expect(answer.json()).toEqual({ vouchers: [] })
  if (kind === 'no-code') expect(answer.json().vouchers[0]).not.toHaveProperty('code')
  if (kind === 'bad-code') expect(answer.json().vouchers[0].code).toBe('<script>')
  if (kind === 'truncated') expect(answer.json).toThrow(SyntaxError)
  if (kind === 'slow') expect(performance.now() - start).toBeGreaterThan(140)
  if (kind === 'huge') expect(answer.text.length).toBeGreaterThan(60 * 1024 * 1024)
  if (kind === 'extra-fields') expect(answer.json().vouchers[0]).toMatchObject({ ...visit, unknownText: 'extra' })
  if (kind === 'deep') expect(answer.text).toContain('['.repeat(100_000))
  expect((await create()).status).toBe(201)
})

test.each([
  { kind: 'reset', created: 0 },
  { kind: 'created-then-reset', created: 1 },
  { kind: 'hang-before', created: 0 },
  { kind: 'hang-after', created: 1 },
])('the fault $kind never answers and creates $created', async ({ kind, created }) => {
  await client.control('/faults', { on: 'create', kind })

  const hangs = kind.startsWith('hang')
  await expect(create(visit, { timeoutMs: hangs ? 200 : 5000 })).rejects.toThrow(hangs ? /timeout/ : 'fetch failed')
  expect(await client.made()).toHaveLength(created)
  expect((await client.control('/requests')).json()).toMatchObject([{ method: 'POST', status: null }])
})
