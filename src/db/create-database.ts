import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { replaceDatabase } from '#lib/database-address.ts'
import { noTimeouts, tcpKeepAlive, throwUnavailable } from './database.ts'
import { DatabaseClient } from './database-client.ts'

const duplicateDatabase = '42P04'
const insufficientPrivilege = '42501'

/** The default encoding of the server may lack characters of names. Only `template0` can be copied with another encoding. */
const inUtf8 = `encoding 'UTF8' template template0`

/** Creates a database with a random name, which the caller drops when it is no longer needed. */
export async function createTemporaryDatabase(
  serverUrl: string,
  purpose: string,
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `voucher_${purpose}_${randomBytes(6).toString('hex')}`
  await queryServer(serverUrl, `create database ${name} ${inUtf8}`)
  return {
    url: replaceDatabase(serverUrl, name),
    drop: () => dropDatabase(serverUrl, name),
  }
}

/**
 * Ends all sessions of the database and drops it. Only a superuser may end an autovacuum worker by force. Without force, PostgreSQL
 * ends it for anybody who drops the database.
 */
async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await queryServer(serverUrl, `drop database if exists ${name} with (force)`).catch((error) => {
    if (error.code !== insufficientPrivilege) throw error
    return queryServer(serverUrl, `drop database if exists ${name}`)
  })
}

/** Creates the database if it does not exist, and returns its URL. */
export async function ensureDatabase(serverUrl: string, name: string): Promise<string> {
  await queryServer(serverUrl, `create database ${pg.escapeIdentifier(name)} ${inUtf8}`).catch((error) => {
    if (error.code !== duplicateDatabase) throw error
  })
  return replaceDatabase(serverUrl, name)
}

async function queryServer(serverUrl: string, statement: string): Promise<void> {
  const client = new DatabaseClient({
    connectionString: serverUrl,
    connectionTimeoutMillis: 10_000,
    options: noTimeouts,
    ...tcpKeepAlive,
  })
  client.on('error', () => {}) // the running statement fails with the same error
  await client.connect().catch(throwUnavailable)
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
