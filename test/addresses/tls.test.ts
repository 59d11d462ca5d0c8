import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { accountOfServers } from '#test/data/local-servers.ts'
import { startPostgres } from '#test/data/private-stores.ts'
import { databaseUrl } from '#test/data/template-database.ts'
import { createCertificateAuthority, type IssuedCertificate } from '#test/network/certificate-authority.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand } from '#test/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'tls-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
chmodSync(folder, 0o755)
const env = { PATH: process.env['PATH'] as string }

/** Writes a file that only one account can read: that of the server, or by default that of this test. */
function write(name: string, text: string, { uid, gid }: { uid?: number; gid?: number } = {}): string {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
  return path
}

const [authority, otherAuthority] = await Promise.all([createCertificateAuthority(), createCertificateAuthority()])
const ca = write('ca.crt', authority.certificate)
const otherCa = write('other-ca.crt', otherAuthority.certificate)
const person = await authority.issue({ commonName: 'certified' })
const [cert, key] = [write('person.crt', person.certificate), write('person.key', person.key)]

function installOnServer({ certificate, key }: IssuedCertificate): void {
  write('server.crt', certificate, accountOfServers())
  write('server.key', key, accountOfServers())
}

installOnServer(await authority.issue({ commonName: 'localhost', hosts: ['localhost'] }))
const rules = `local all all trust\nhostssl all certified all cert\nhostssl all postgres all trust\n`
const postgres = await startPostgres({
  ssl: 'on',
  fsync: 'off',
  ssl_cert_file: join(folder, 'server.crt'),
  ssl_key_file: join(folder, 'server.key'),
  ssl_ca_file: write('server-ca.crt', authority.certificate, accountOfServers()),
  hba_file: write('pg_hba.conf', rules, accountOfServers()),
})

async function query(statement: string): Promise<void> {
  const client = new pg.Client({ host: postgres.folder, port: postgres.port, user: 'postgres', database: 'postgres' })
  await client.connect()
  await client.query(statement)
  await client.end()
}

await query('create database vouchers')
await query('create role certified superuser login')

const files: Record<string, string> = { CA: ca, OTHER_CA: otherCa, CERT: cert, KEY: key }
/** `CA`, `OTHER_CA`, `CERT` and `KEY` stand for the paths of files, which differ in each run. */
const url = (parameters: string, { host = 'localhost', user = 'postgres' } = {}) =>
  `postgres://${user}@${host}:${postgres.port}/vouchers?${parameters.replaceAll(/\b[A-Z_]+\b/g, (name) => files[name] ?? name)}`
const migrate = (address: string, more: Record<string, string> = {}) =>
  runCommand(address, ['migrate'], { env: { ...env, ...more } })

test.each([
  ['sslmode=no-verify', {}],
  ['sslmode=no-verify', { host: '127.0.0.1' }],
  ['sslmode=require&sslrootcert=CA', {}],
  ['sslmode=verify-full&sslrootcert=CA', {}],
  ['sslrootcert=CA', {}],
  ['sslmode=verify-ca&sslrootcert=CA', { host: '127.0.0.1' }],
  ['sslrootcert=CA&sslcert=CERT&sslkey=KEY', { user: 'certified' }],
])('with %s, the service connects', async (parameters, place) => {
  expect(await migrate(url(parameters, place))).toMatchObject({ exitCode: 0, stderr: '' })
})

test('the variables PGSSLMODE and PGSSLROOTCERT count like the parameters', async () => {
  const bare = url('').replace('?', '')

  expect(await migrate(bare, { PGSSLMODE: 'verify-full', PGSSLROOTCERT: ca })).toMatchObject({ exitCode: 0 })
  expect((await migrate(bare, { PGSSLMODE: 'prefer' })).stderr).toContain('DATABASE_URL: PGSSLMODE must be one of')
})

const untrusted = 'is signed by an authority that is not trusted. Set sslrootcert in DATABASE_URL'

test.each([
  ['sslmode=require', {}, untrusted],
  ['sslmode=verify-full', {}, untrusted],
  ['sslmode=verify-full&sslrootcert=OTHER_CA', {}, untrusted],
  ['sslmode=verify-ca&sslrootcert=OTHER_CA', {}, untrusted],
  ['sslmode=require&sslrootcert=CA', { host: '127.0.0.1' }, 'is not for 127.0.0.1, but for DNS:localhost. Write one'],
  ['sslmode=disable', {}, 'pg_hba.conf. The file may require TLS (sslmode=verify-full)'],
  ['sslrootcert=CA', { user: 'certified' }, 'or a client certificate (sslcert and sslkey)'],
])('with %s and a server that does not fit, the message says what to do', async (parameters, place, sentence) => {
  const { exitCode, stderr } = await migrate(url(parameters, place))

  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(sentence)])
})

test('a server without TLS is named as the cause', async () => {
  const { exitCode, stderr } = await migrate(`${databaseUrl('postgres')}?sslmode=require`)

  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining('PostgreSQL offers no TLS, but sslmode in DATABASE_URL'),
  ])
})

test('a file that is not a certificate is named', async () => {
  const { exitCode, stderr } = await migrate(url('sslrootcert=KEY'))

  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`sslrootcert: ${key} contains no certificate in PEM`)])
})

test('a backup checks the certificate like the service', async () => {
  const file = join(folder, 'backup')
  const backup = await runCommand(url('sslmode=require&sslrootcert=CA'), ['backup', file], { env })
  const direct = { ...env, DATABASE_DIRECT_URL: url('sslmode=require') }
  const unchecked = await runCommand(url('sslmode=no-verify'), ['backup', `${file}-2`], { env: direct })

  expect(backup).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('The backup is complete') })
  expect([unchecked.exitCode, unchecked.stderr]).toEqual([1, expect.stringContaining('certificate verify failed')])
})

test('a process with sslmode=require prints no warning of node-postgres', async () => {
  const { exitCode, stderr } = await spawnCommand(url('sslmode=require&sslrootcert=CA'), ['sites', 'list'])

  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('WARNING')])
})

// The last test, because the server keeps the certificate.
test('an expired certificate is named', async () => {
  const expired = await authority.issue({ commonName: 'localhost', hosts: ['localhost'], notAfter: new Date(0) })
  installOnServer(expired)
  await query('select pg_reload_conf()')

  await expect
    .poll(async () => (await migrate(url('sslrootcert=CA'))).stderr)
    .toContain('The certificate of PostgreSQL has expired or is not valid yet. Renew it on the server')
})
