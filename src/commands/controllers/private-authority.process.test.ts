import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand, startService } from '#test/service.ts'

const db = await createTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'authority-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
const path = (name: string) => join(folder, name)
const openssl = (line: string) => execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'pipe' })

/** An authority of a company, and a certificate that it issued for the controller. */
openssl('req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ca.key -out ca.pem -subj /CN=Company')
openssl('req -newkey rsa:2048 -nodes -keyout controller.key -out controller.csr -subj /CN=localhost')
writeFileSync(path('names.txt'), 'subjectAltName=DNS:localhost')
openssl('x509 -req -in controller.csr -CA ca.pem -CAkey ca.key -days 2 -extfile names.txt -out controller.pem')

const simulator = await startSimulator()
const address = `https://localhost:${await startTls(Number(new URL(simulator.url).port))}`
const trusting = { NODE_EXTRA_CA_CERTS: path('ca.pem') }
const run = (args: string[], env: Record<string, string> = {}, stdin = '') => spawnCommand(db.url, args, { env, stdin })

/** Ends TLS in front of the simulator; returns the port. */
async function startTls(to: number): Promise<number> {
  const identity = { key: readFileSync(path('controller.key')), cert: readFileSync(path('controller.pem')) }
  const server = createServer(identity, (socket) => {
    const upstream = connect(to, '127.0.0.1')
    socket.on('error', () => upstream.destroy()).pipe(upstream)
    upstream.on('error', () => socket.destroy()).pipe(socket)
  }).listen(0)
  await once(server, 'listening')
  onFileEnd(async () => void server.close())
  return (server.address() as AddressInfo).port
}

test('a controller with a certificate of a private authority needs no pin, for commands and for the service', async () => {
  const place = ['--name', 'c1', '--driver', 'unifi-integration', '--address', address]
  await run(['controllers', 'add', ...place, '--secret-file', '-'], {}, simulator.apiKey)
  const adding = ['sites', 'add', '--name', 'Haus', '--controller', 'c1', '--json']
  writeFileSync(path('service.env'), `NODE_EXTRA_CA_CERTS=${path('ca.pem')}\n`)

  const untrusted = await run(adding)
  const requestsBefore = await simulator.requests()
  const missing = await run(adding, { NODE_EXTRA_CA_CERTS: path('none.pem') })
  const added = await run(adding, trusting)
  const tested = await run(['sites', 'test', String(added.json().id), '--settings', path('service.env')])
  const key = (await run(['keys', 'create', '--name', 'Desk', '--scope', 'write', '--json'])).json().key
  const service = await startService(db.url, trusting)
  const created = await call(`${service.url}/api/vouchers.php`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ site_id: added.json().id, name: 'Gast', expire_minutes: 60 }),
  })

  expect([untrusted.exitCode, untrusted.stderr]).toEqual([1, expect.stringContaining('is not accepted')])
  expect(untrusted.stderr).toContain('NODE_EXTRA_CA_CERTS')
  expect(requestsBefore).toEqual([])
  expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('Ignoring extra certs')])
  expect([tested.exitCode, tested.stdout]).toEqual([0, expect.stringContaining('is signed by a trusted')])
  expect([created.status, (await simulator.vouchers()).length]).toEqual([201, 1])
})
