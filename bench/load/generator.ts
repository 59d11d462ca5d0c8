import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { percentile } from '#test/measuring.ts'
import { createChanges } from './changes.ts'
import type { FromGenerator, Load, LoadResult } from './load.ts'
import { createRequests } from './requests.ts'

/** The load generator: a process that gets loads as messages and runs one after the other. */
process.on('message', (load: Load) => {
  runLoad(load).then(
    (result) => send({ result }),
    (error) => send({ failure: String(error?.stack ?? error) }),
  )
})
process.once('disconnect', () => process.exit(0)) // the bench has ended

function send(message: FromGenerator): void {
  process.send?.(message)
}

async function runLoad(load: Load): Promise<LoadResult> {
  const next = createRequests(load)
  const changes = load.changesIn === undefined ? undefined : await createChanges(load.changesIn, load)
  let [left, latencies, bytes] = [load.requests ?? Number.POSITIVE_INFINITY, [] as number[], 0]
  let isOver = false
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const due: number[] = []
  const idle: Exchange[] = []
  const ended = Promise.withResolvers<void>()

  /** Sends the next request on this connection; with a rate, when one is due. */
  const proceed = async (exchange: Exchange) => {
    if (isOver || left === 0) return finish()
    if (load.ratePerSecond !== undefined && due.length === 0) return void idle.push(exchange)
    const { text, status, place } = next()
    left--
    const since = due.shift() ?? performance.now()
    const wait = changes?.before(place)
    if (wait !== undefined) await wait
    exchange(text, (got, length) => {
      if (got !== status) return reject(new Error(`${load.kind} was answered with ${got} instead of ${status}`))
      latencies.push(performance.now() - since)
      bytes += length
      proceed(exchange).catch(reject)
    })
  }
  let open = load.connections
  const finish = () => {
    open--
    if (open === 0) ended.resolve()
  }

  const sockets = Array.from({ length: load.connections }, (_, i) => load.urls[i % load.urls.length] as string).map(
    (url) => openConnection(url, proceed, reject),
  )
  const clock = load.ratePerSecond === undefined ? undefined : startClock(load.ratePerSecond, due, idle, proceed)
  try {
    if (load.requests !== undefined) {
      await Promise.race([ended.promise, failed])
      return summary(latencies, bytes, 1, 0)
    }
    await Promise.race([pause(load.warmUpMs), failed])
    ;[latencies, bytes] = [[], 0]
    send({ begun: true })
    const [beganAt, cpu] = [performance.now(), process.cpuUsage()]
    await Promise.race([pause(load.seconds * 1_000), failed])
    const { user, system } = process.cpuUsage(cpu)
    return summary([...latencies], bytes, (performance.now() - beganAt) / 1_000, user + system)
  } finally {
    isOver = true
    clearInterval(clock)
    for (const socket of sockets) socket.destroy()
    await changes?.end()
  }
}

function summary(latencies: number[], bytes: number, seconds: number, cpuMicros: number): LoadResult {
  return {
    requests: latencies.length,
    seconds,
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
    bytesPerRequest: bytes / latencies.length,
    generatorShare: cpuMicros / 1e6 / seconds,
  }
}

/** Makes requests due at a steady rate, and wakes idle connections for them. */
function startClock(rate: number, due: number[], idle: Exchange[], proceed: (exchange: Exchange) => Promise<void>) {
  let nextAt = performance.now()
  return setInterval(() => {
    for (const now = performance.now(); nextAt <= now; nextAt += 1_000 / rate) due.push(nextAt)
    while (due.length > 0 && idle.length > 0) void proceed(idle.pop() as Exchange)
  }, 1)
}

/** Sends one request and calls back with the status and the length of the answer. */
type Exchange = (text: string, onAnswer: (status: number, length: number) => void) => void

/** All connections read into the same buffer, because only the length of an answer matters. */
const buffer = Buffer.alloc(256 * 1024)

function openConnection(
  url: string,
  onOpen: (exchange: Exchange) => Promise<void>,
  onError: (error: Error) => void,
): Socket {
  const { hostname, port } = new URL(url)
  let onAnswer: ((status: number, length: number) => void) | undefined
  let [head, status, length, left] = ['', 0, 0, 0]

  const read = (count: number): boolean => {
    let bodyFrom = 0
    if (left === 0) {
      const end = buffer.subarray(0, count).indexOf('\r\n\r\n')
      const before = head.length
      head += buffer.toString('latin1', 0, end === -1 ? count : end)
      if (end === -1 && head.length < 16_384) return true // the rest of the head comes with the next packet
      const found = /^content-length: *(\d+)/im.exec(head)
      if (!found) throw new Error(`An answer has no Content-Length:\n${head.slice(before)}`)
      ;[status, length, bodyFrom] = [Number(head.slice(9, 12)), Number(found[1]), end + 4]
      ;[left, head] = [length, '']
    }
    left -= count - bodyFrom
    if (left === 0) onAnswer?.(status, length)
    return true
  }

  const socket = connect({ host: hostname, port: Number(port), onread: { buffer, callback: read } })
  socket.setNoDelay(true)
  socket.on('error', onError)
  socket.on('end', () => onError(new Error('The server closed a connection')))
  socket.once('connect', () => {
    onOpen((text, answered) => {
      onAnswer = answered
      socket.write(text, 'latin1')
    }).catch(onError)
  })
  return socket
}
