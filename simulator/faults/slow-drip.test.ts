import { afterEach, expect, test } from 'vitest'
import { type RunningSimulator, startSimulator } from '../start-simulator.ts'
import { clientOf, sessionOf } from '../test-client.ts'

let simulator: RunningSimulator
afterEach(() => simulator.close())

async function started(flavour: 'console' | 'self-hosted' = 'console') {
  simulator = await startSimulator({ flavour })
  const client = clientOf(simulator)
  const drip = (on: string, more: object = {}) => client.control('/faults', { on, kind: 'slow-drip', ...more })
  return { client, drip, session: sessionOf(simulator, flavour) }
}

async function chunksOf(path: string) {
  const headers = { 'x-api-key': simulator.apiKey }
  const start = performance.now()
  const response = await fetch(simulator.url + path, { headers, signal: AbortSignal.timeout(60_000) })
  const headMs = performance.now() - start
  const chunks: Buffer[] = []
  for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk))
  return { response, headMs, chunks, bodyMs: performance.now() - start - headMs }
}

test('a dripping reply sends its head at once and its body byte by byte', async () => {
  const { client, drip } = await started()
  await drip('any', { delayMs: 100 })

  const { response, headMs, chunks, bodyMs } = await chunksOf('/proxy/network/integration/v1/info')
  const body = Buffer.concat(chunks)
  expect(JSON.parse(body.toString())).toEqual({ applicationVersion: '10.3.55' })
  expect([response.status, response.headers.get('content-length')]).toEqual([200, String(body.length)])
  expect(chunks.length).toBeGreaterThan(body.length / 2)
  expect(bodyMs).toBeGreaterThan(body.length * 90)
  expect(headMs).toBeLessThan(bodyMs / 2)
  expect((await client.control('/requests')).json()).toMatchObject([{ status: 200, replyBytes: body.length }])
})

test('a dripping creation creates at once, and sends no more bytes after the caller has closed the connection', async () => {
  const { client, session, drip } = await started('self-hosted')
  await session.signIn()
  await client.control('/requests', undefined, 'DELETE')
  await drip('create')

  await expect(session.create({}, { timeoutMs: 1500 })).rejects.toThrow(/timeout/)
  expect(await client.made()).toHaveLength(1)
  const sent = async () => (await client.control('/requests')).json()[0]
  const sentIn = async (ms: number) => {
    const before = (await sent()).replyBytes
    await new Promise((resolve) => setTimeout(resolve, ms))
    return (await sent()).replyBytes - before
  }
  expect((await sent()).status).toBe(200)
  await expect.poll(() => sentIn(1200)).toBe(0) // a byte may be on its way when the connection closes; without an end, one follows each second
  expect((await sent()).replyBytes).toBeLessThan(5)
})

test('a dripping sign-in signs in', async () => {
  const { session, drip } = await started()
  await drip('login', { delayMs: 1 })

  expect((await session.signIn()).json().username).toBe('api')
  expect((await session.get('/api/self/sites')).status).toBe(200)
})

test('without delayMs, each byte takes a second', async () => {
  const { drip } = await started()

  expect((await drip('list')).json()).toEqual({ on: 'list', kind: 'slow-drip', times: 1, delayMs: 1000 })
})
