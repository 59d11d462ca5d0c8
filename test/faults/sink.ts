import { createServer } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { listen } from '#test/network/sockets.ts'

type Trouble = 500 | 429 | 'hang' | 'reset'

export type Sink = {
  port: number
  /** Ids of the vouchers in acknowledged notifications. */
  notified: Set<string>
  /** The voucher ids of each notification, by `webhook-id`. A repeated delivery has the same ids. */
  notifications: Map<string, string>
  /** How the sink fails from now on; undefined when it answers correctly. */
  trouble: Trouble | undefined
}

/** Receives notifications. */
export async function startSink(): Promise<Sink> {
  const sink: Sink = { port: 0, notified: new Set(), notifications: new Map(), trouble: undefined }
  const server = createServer(async (request, response) => {
    const text = await textOf(request).catch(() => undefined)
    if (text === undefined) return // the connection was cut
    if (sink.trouble === 'hang') return
    if (sink.trouble === 'reset') return void request.socket.resetAndDestroy()
    if (sink.trouble !== undefined) return void response.writeHead(sink.trouble, { 'retry-after': '1' }).end()
    const publicIds: string[] = JSON.parse(text).data.voucher_ids ?? []
    const ids = publicIds.map((id) => id.slice(id.indexOf('-') + 1))
    sink.notifications.set(String(request.headers['webhook-id']), ids.join())
    for (const id of ids) sink.notified.add(id)
    response.writeHead(204).end()
  })
  server.on('connection', (socket) => socket.on('error', () => {}))
  sink.port = await listen(server)
  return sink
}
