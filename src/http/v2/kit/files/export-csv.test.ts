import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { streamToClient } from './export-csv.ts'

const part = 'x'.repeat(50_000)

/** A stream of 20 parts, and whether it was closed. */
function startStream() {
  async function* write() {
    for (let i = 0; i < 20; i++) yield part
  }
  const stream = streamToClient(write())
  const failed = vi.fn()
  stream.on('error', failed)
  return { stream, failed }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('a client that stops reading is disconnected after 10 s and the time for what it got', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { stream, failed } = startStream()
  stream.read(0) // the stream begins to fill its buffer: two parts of 50 kB
  await settle()
  await vi.advanceTimersByTimeAsync(14_900)
  expect(stream.destroyed).toBe(false)
  await vi.advanceTimersByTimeAsync(200)
  await settle()

  expect(stream.destroyed).toBe(true)
  expect(failed).toHaveBeenCalledWith(expect.objectContaining({ name: 'SlowReader' }))
})

test('a client that reads 25 kB/s gets everything, and one that reads 5 kB/s does not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const read = async (bytesPerSecond: number) => {
    const { stream, failed } = startStream()
    let bytes = 0
    while (!stream.destroyed && bytes < 20 * part.length) {
      bytes += (stream.read(5_000) ?? Buffer.alloc(0)).length
      await settle()
      await vi.advanceTimersByTimeAsync((1_000 * 5_000) / bytesPerSecond)
    }
    return { bytes, failures: failed.mock.calls.length }
  }

  expect(await read(25_000)).toEqual({ bytes: 20 * part.length, failures: 0 })
  expect(await read(5_000)).toEqual({ bytes: expect.any(Number), failures: 1 })
})

test('a stream that is destroyed before it is read closes', async () => {
  const { stream } = startStream()
  stream.destroy()
  await once(stream, 'close')
  await sleep(0)

  expect(stream.closed).toBe(true)
})
