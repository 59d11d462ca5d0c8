import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey, seedManyVouchers } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { isLong, percentile, report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { openSocket } from '#test/network/sockets.ts'
import { type Service, startService } from '#test/service.ts'

const db = await createTestDatabase()
const simulator = await startSimulator()
const site = await seedControlledSite(db, simulator)
const { key } = await seedKey(db, { scope: 'write' })
await seedManyVouchers(db, site, 1_000)

const connections = 260
/** Fewer than the requests that a connection may have unanswered, so that only the unread answers end it. */
const requestsPerConnection = 12
const document = '/api/v2/openapi.json'
const targets = [document, '/api/v2/vouchers?limit=200', '/api/vouchers.php?site_id=', '/reference'] as const

/** Opens connections that send requests for large answers and read nothing. */
function openUnreadConnections(service: Service): Socket[] {
  return range(connections).map((i) => {
    const target = targets[i % targets.length]
    const path = target?.endsWith('=') ? target + site : target
    const socket = openSocket(service.url)
    socket.on('error', () => {})
    socket.pause()
    for (const _ of range(requestsPerConnection))
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    return socket
  })
}

/** The connections that clients hold to this service, as the kernel sees them. */
function countEstablished({ url }: Service): number {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .filter((line) => new RegExp(`^ *\\d+: \\w+:${port} \\w+:\\w+ 01 `).test(line)).length
}

function residentMegabytes({ process: { pid } }: Service): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000
}

/** Creates vouchers one after the other for this long and returns the milliseconds that each took. */
async function timeCreations({ url }: Service, forMs: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  for (const end = performance.now() + forMs; performance.now() < end; ) {
    const begin = performance.now()
    const answer = await call(`${url}/api/v2/vouchers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ site_id: site, name: 'Gast' }),
      agent,
    })
    expect(answer.status).toBe(201)
    times.push(performance.now() - begin)
  }
  agent.destroy()
  return times
}

/** Samples the memory of the service and the time that `/healthz` takes, until `stop`. */
function watch(service: Service) {
  const agent = new Agent({ keepAlive: true })
  let isOver = false
  const [megabytes, healthMs]: [number[], number[]] = [[], []]
  const watching = (async () => {
    while (!isOver) {
      const begin = performance.now()
      expect((await call(`${service.url}/healthz`, { agent })).status).toBe(200)
      healthMs.push(performance.now() - begin)
      megabytes.push(residentMegabytes(service))
      await pause(50)
    }
    agent.destroy()
  })()
  return {
    async stop() {
      isOver = true
      await watching
      return { megabytes: Math.max(...megabytes), healthMs: Math.max(...healthMs) }
    },
  }
}

test.runIf(isLong)('260 connections that read nothing are ended, and do not slow down creations', async () => {
  const service = await startService(db.url, { LOG_LEVEL: 'warn' })
  await timeCreations(service, 3_000) // warm-up
  const idle = await timeCreations(service, 10_000)
  const before = residentMegabytes(service)
  const watched = watch(service)

  const sockets = openUnreadConnections(service)
  const beside = await timeCreations(service, 20_000)
  const { megabytes, healthMs } = await watched.stop()
  // A connection whose answers fit into the kernel has nothing unread in the service. It is closed like any idle one, after 72 s.
  const deadline = performance.now() + 90_000
  while (countEstablished(service) > 1 && performance.now() < deadline) await pause(500)
  const left = countEstablished(service)
  for (const socket of sockets) socket.destroy()
  await service.stop()

  report('p95 of a creation in ms, idle and beside unread answers', [percentile(idle, 95), percentile(beside, 95)])
  report('MB of the api before, and the most beside unread answers', [before, megabytes])
  report('the slowest /healthz in ms beside unread answers', healthMs)
  report('connections still open 90 s after the last creation', left)
  expect(left).toBeLessThanOrEqual(1) // of our own agents
  expect(megabytes).toBeLessThan(400)
  expect(percentile(beside, 95)).toBeLessThan(2 * percentile(idle, 95))
})

test.runIf(isLong)('200 requests for the OpenAPI document at once do not slow down creations', async () => {
  const service = await startService(db.url, { LOG_LEVEL: 'warn' })
  await timeCreations(service, 3_000) // warm-up
  const idle = await timeCreations(service, 10_000)
  const watched = watch(service)

  const asked = getAtOnce(service.url + document, 200)
  const beside = await timeCreations(service, 10_000)
  const answers = await asked
  const { megabytes, healthMs } = await watched.stop()
  await service.stop()

  report('p95 of a creation in ms, idle and beside the documents', [percentile(idle, 95), percentile(beside, 95)])
  report('the slowest creation in ms beside the documents', Math.max(...beside))
  report('MB of the api beside the documents', megabytes)
  report('the slowest /healthz in ms beside the documents', healthMs)
  expect(answers).toEqual([{ status: 200, isWhole: true }])
  expect(percentile(beside, 95)).toBeLessThan(2 * percentile(idle, 95))
})

/** Sends this many requests at once from a process of its own, and returns the different outcomes. */
async function getAtOnce(url: string, requests: number): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', getter, url, String(requests)])
  return JSON.parse(stdout)
}

const getter = `
  const [, url, requests] = process.argv
  const get = () => new Promise((resolve, reject) => {
    require('node:http').get(url, { agent: false }, (answer) => {
      let bytes = 0
      answer.on('data', (chunk) => { bytes += chunk.length })
      answer.on('end', () => resolve(JSON.stringify({
        status: answer.statusCode,
        isWhole: bytes === Number(answer.headers['content-length']),
      })))
    }).on('error', reject)
  })
  Promise.all(Array.from({ length: Number(requests) }, get)).then((all) => {
    console.log('[' + [...new Set(all)].join() + ']')
  })`
