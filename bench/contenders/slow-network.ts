import { connect, createServer, type Socket } from 'node:net'

/**
 * Forwards connections to a server, as over a slow network: what a client sends arrives `delayMs` later, so each round trip
 * takes that much longer.
 */
const [target, port, delayMs] = process.argv.slice(2)
const { hostname, port: targetPort } = new URL(target as string)

const server = createServer({ noDelay: true }, (client) => {
  const upstream = connect({ host: hostname, port: Number(targetPort || 5432), noDelay: true })
  client.on('data', (chunk) => setTimeout(() => upstream.write(chunk), Number(delayMs)))
  client.on('end', () => setTimeout(() => upstream.end(), Number(delayMs)))
  upstream.pipe(client)
  closeTogether(client, upstream)
  closeTogether(upstream, client)
})

function closeTogether(one: Socket, other: Socket): void {
  one.on('error', () => other.destroy())
  one.on('close', () => other.destroy())
}

server.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
