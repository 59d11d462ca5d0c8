import { connect, createServer } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { databaseUrl, queryServer, serverUrl } from '#test/data/template-database.ts'
import { listen } from '#test/network/sockets.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { createTemporaryDatabase, ensureDatabase } from './create-database.ts'

test('a connection that is lost while a database is created is an error of the call', async () => {
  const { hostname, port } = new URL(databaseUrl('postgres'))
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    client.on('data', (data) => (data.includes('create database') ? client.destroy() : server.write(data)))
    server.on('data', (data) => client.write(data))
    client.on('close', () => server.destroy())
  })
  const proxied = Object.assign(new URL(databaseUrl('postgres')), { host: `127.0.0.1:${await listen(proxy)}` }).href

  // Without a listener for errors, the run fails with an uncaught error.
  await expect(ensureDatabase(proxied, 'never_created')).rejects.toThrow('Connection terminated unexpectedly')
})

test('an ordinary role drops its database although PostgreSQL has a session there that only a superuser may end', async () => {
  const role = `ordinary_${process.pid}`
  await queryServer(`create role ${role} login createdb`)
  onFileEnd(() => queryServer(`drop role ${role}`))
  const database = await createTemporaryDatabase(Object.assign(new URL(serverUrl), { username: role }).href, 'dropped')
  const session = new pg.Client({ connectionString: databaseUrl(new URL(database.url).pathname.slice(1)) })
  session.on('error', () => {})
  await session.connect()
  setTimeout(() => session.end(), 300) // PostgreSQL waits five seconds for its own sessions, which it ends

  await database.drop()

  await expect(new pg.Client({ connectionString: database.url }).connect()).rejects.toThrow('does not exist')
})
