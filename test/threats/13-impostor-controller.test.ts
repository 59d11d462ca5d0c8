import { createServer as createTcpServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { unifiIntegration } from '#drivers/unifi-integration/driver.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { createAndClaim, directAccess } from '#test/drivers.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { listen } from '#test/network/sockets.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startService } from '#test/service.ts'

const real = await startSimulator('--https')
const impostor = await startSimulator('--https', `--api-key=${real.apiKey}`)
const plain = await startSimulator(`--api-key=${real.apiKey}`)
const shape = { name: 'x', maxUses: 1, expireMinutes: 60, downKbps: 0, upKbps: 0, quotaMb: 0 }
const refused = expect.objectContaining({ failure: 'unreachable', outcome: 'refused' })

function connect(address: string, pinOf?: typeof real) {
  const certificatePin = pinOf ? (parseFingerprint(pinOf.fingerprint as string) as Buffer) : null
  const connection = unifiIntegration.connect({
    address,
    credentials: { apiKey: real.apiKey },
    certificatePin,
    ...directAccess(),
  })
  onFileEnd(() => connection.close())
  return connection
}

test('vouchers are made again and again on a controller with the pinned certificate', async () => {
  const connection = connect(real.url, real)
  for (let i = 0; i < 20; i++) expect(await createAndClaim(connection, { site: 'default', shape })).toHaveLength(1)
  await Promise.all(Array.from({ length: 20 }, () => createAndClaim(connection, { site: 'default', shape })))

  expect(await real.vouchers()).toHaveLength(40)
})

test('a self-signed certificate without a pin is rejected, and nothing is sent', async () => {
  await expect(createAndClaim(connect(impostor.url), { site: 'default', shape })).rejects.toEqual(refused)

  expect(await impostor.requests()).toEqual([])
})

test('no request reaches an impostor with another certificate, even if it has the right key and site', async () => {
  await expect(createAndClaim(connect(impostor.url, real), { site: 'default', shape })).rejects.toEqual(refused)

  expect(await impostor.requests()).toEqual([])
})

test('a pin on plain HTTP is rejected, because there is no certificate to compare', async () => {
  await expect(createAndClaim(connect(plain.url, real), { site: 'default', shape })).rejects.toEqual(refused)

  expect(await plain.requests()).toEqual([])
})

test('a server that closes during the handshake or speaks no TLS is rejected, and nothing is made', async () => {
  const closes = (socket: Socket) => socket.destroy()
  const talks = (socket: Socket) => socket.on('error', () => {}).end('HTTP/1.1 400 No\r\n\r\n')
  for (const behave of [closes, talks]) {
    const port = await listen(createTcpServer(behave))
    await expect(
      createAndClaim(connect(`https://127.0.0.1:${port}`, real), { site: 'default', shape }),
    ).rejects.toEqual(refused)
  }
})

test('commands show and pin the fingerprint, and a voucher is made over HTTPS', async () => {
  const db = await createTestDatabase()
  const run = (args: string[], stdin = '') => runCommand(db.url, [...args, '--json'], { stdin })
  const certificate = (await run(['controllers', 'fingerprint', real.url])).json()
  const add = (name: string, ...more: string[]) =>
    run(
      ['controllers', 'add', '--name', name, '--driver', 'unifi-integration', '--secret-file', '-', ...more],
      real.apiKey,
    )
  const added = await add('pinned', '--address', real.url, '--pin', certificate.fingerprint)
  const wrong = await add('wrong', '--address', plain.url, '--pin', certificate.fingerprint)
  const nonsense = await add('nonsense', '--address', real.url, '--pin', 'AB:CD')
  const nobody = await run(['controllers', 'fingerprint', 'https://127.0.0.1:1'])
  const { id } = (await run(['sites', 'add', '--name', 'Haus', '--controller', 'pinned'])).json()
  const { key } = (await run(['keys', 'create', '--name', 'k', '--scope', 'write'])).json()
  const service = await startService(db.url)
  const body = JSON.stringify({ site_id: id, name: 'x' })
  const made = await call(`${service.url}/api/vouchers.php`, { method: 'POST', headers: { 'x-api-key': key }, body })

  expect(certificate).toMatchObject({ fingerprint: real.fingerprint, trusted: false })
  expect(added.json().certificate_pin).toBe(real.fingerprint)
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    1,
    expect.stringContaining('Only an https:// address has a certificate.'),
  ])
  expect([nonsense.exitCode, nonsense.stderr]).toEqual([2, expect.stringContaining('SHA-256 fingerprint')])
  expect([nobody.exitCode, nobody.stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')])
  expect(made.status).toBe(201)
})
