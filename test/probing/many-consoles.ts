import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { v7 as uuidv7 } from 'uuid'
import { encryptCredentials } from '#domain/controllers/controller-credentials.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import type { TestDatabase } from '#test/data/database.ts'
import { testKeyring } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { createSelfSignedCertificate } from '../../simulator/self-signed-certificate.ts'

type Request = { host: string; line: string; hasCredentials: boolean; at: number }

export type ManyConsoles = {
  requests: Request[]
  /** The id of a controller in the record, by its number. */
  ids: string[]
  /** The controller accepts connections and answers nothing more. */
  silence(number: number): void
}

/**
 * Consoles at many addresses of this machine, from 127.1.0.0 on, each with an idle site in the record. All have the same
 * certificate. They show only their start page.
 */
export async function startManyConsoles(db: TestDatabase, count: number): Promise<ManyConsoles> {
  const { key, certificate, fingerprint256 } = await createSelfSignedCertificate()
  const requests: Request[] = []
  const silent = new Set<string>()
  const sockets = new Set<Socket>()
  const https = createHttpsServer({ key, cert: certificate }, ({ method, url, headers, socket }, response) => {
    const hasCredentials = ['cookie', 'authorization', 'x-api-key'].some((name) => name in headers)
    requests.push({ host: socket.localAddress ?? '', line: `${method} ${url}`, hasCredentials, at: performance.now() })
    response.end('<html></html>')
  })
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    if (!socket.localAddress?.startsWith('127.')) socket.destroy()
    else if (!silent.has(socket.localAddress)) https.emit('connection', socket)
  })
  server.listen(0, '0.0.0.0', 4_096) // all of 127.0.0.0/8
  await once(server, 'listening')
  onFileEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  const { port } = server.address() as AddressInfo
  const consoles = Array.from({ length: count }, (_, number) => ({ id: uuidv7(), host: hostOf(number) }))
  await db.query(
    `insert into controllers (id, name, driver, address, secret, certificate_pin)
     select id, id::text, 'unifi-integration', address, secret, $4
       from unnest($1::uuid[], $2::text[], $3::text[]) as t (id, address, secret)`,
    [
      consoles.map(({ id }) => id),
      consoles.map(({ host }) => `https://${host}:${port}`),
      consoles.map(({ id }) => encryptCredentials(testKeyring, id, { apiKey: 'test' })),
      parseFingerprint(fingerprint256),
    ],
  )
  await db.query(
    `insert into sites (name, controller_id, controller_site, next_sync_at)
     select 'Site', id, 'default', now() + interval '1 day' from controllers`,
  )
  return { requests, ids: consoles.map(({ id }) => id), silence: (number) => silent.add(hostOf(number)) }
}

function hostOf(number: number): string {
  return `127.1.${number >> 8}.${number & 255}`
}

/** The time at which an outage of the controller is recorded. */
export async function untilOut(db: TestDatabase, controllerId: string): Promise<number> {
  for (;;) {
    const { rowCount } = await db.query('select from controller_outages where controller_id = $1 and until is null', [
      controllerId,
    ])
    if (rowCount === 1) return performance.now()
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
