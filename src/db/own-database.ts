import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { outOfReach, tcpKeepAlive } from './database.ts'

/** A database made for one purpose on a server, and its end. */
export async function createOwnDatabase(
  serverUrl: string,
  purpose: string,
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `voucher_${purpose}_${randomBytes(6).toString('hex')}`
  await onServer(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(serverUrl, `drop database if exists ${name} with (force)`) }
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 10_000, ...tcpKeepAlive })
  await client.connect().catch(outOfReach)
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
