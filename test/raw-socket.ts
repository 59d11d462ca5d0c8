import { connect, type Socket } from 'node:net'

export type RawAnswer = { text: string; statuses: number[]; body: string; closedAfterMs: number }

/** Sends bytes as they are and returns all that came back until the server closed or fell silent. */
export function exchange(url: string, bytes: string | Buffer, silenceMs = 300): Promise<RawAnswer> {
  const begin = performance.now()
  return new Promise((resolve) => {
    const socket = openSocket(url)
    let text = ''
    const finish = () => {
      socket.destroy()
      resolve({
        text,
        statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1])),
        body: text.slice(text.indexOf('\r\n\r\n') + 4),
        closedAfterMs: performance.now() - begin,
      })
    }
    socket.setTimeout(silenceMs, finish)
    socket.on('data', (chunk) => (text += chunk.toString('utf8')))
    socket.on('error', finish)
    socket.on('close', finish)
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  })
}

export function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname)
}
