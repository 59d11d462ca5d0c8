import { expect, test } from 'vitest'
import { exchange } from '#test/network/sockets.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { serveMetrics } from './serve-metrics.ts'

test('a connection with more than 16 unanswered requests is ended, and the others read no metrics', async () => {
  let rendered = 0
  const render = async () => {
    rendered += 1
    return new Promise<string>(() => {})
  }
  const log = { info() {}, warn() {}, error() {} }
  const { port, stop } = await serveMetrics(
    { render, contentType: 'text/plain' },
    { port: 0, address: '127.0.0.1', log },
  )
  onFileEnd(stop)

  const request = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'
  const { closedAfterMs } = await exchange(`http://127.0.0.1:${port}`, request.repeat(500), 20_000)

  expect(closedAfterMs).toBeLessThan(20_000)
  expect(rendered).toBe(16)
})
