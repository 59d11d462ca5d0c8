import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrateAll } from '../../../src/commands/migrate.ts'
import { canStartServer, startServerOfRun } from './server-of-run.ts'

declare module 'vitest' {
  interface ProvidedContext {
    templateDatabase: string
  }
}

const variable = 'TEST_DATABASE_URL'
const defaultUrl = 'postgres://postgres@127.0.0.1:5432/postgres'

/** The server of this run. Test files are imported after the set-up, which may have started it. */
export const serverUrl = process.env[variable] ?? defaultUrl

const owner = new URL(serverUrl).username

export function databaseUrl(name: string): string {
  const url = new URL(process.env[variable] ?? defaultUrl)
  url.pathname = `/${name}`
  return url.href
}

export async function queryServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl('postgres') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

const buildService = fileURLToPath(new URL('../../../build/build-service.ts', import.meta.url))

const shared = globalThis as { databasesOfRun?: Promise<DatabasesOfRun> }

type DatabasesOfRun = { template: string; release: () => Promise<void> }

/** Builds the service, starts PostgreSQL unless TEST_DATABASE_URL names another one, and migrates the template. */
async function prepareDatabases(): Promise<DatabasesOfRun> {
  await promisify(execFile)(process.execPath, [buildService])
  const server = process.env[variable] === undefined && canStartServer() ? await startServerOfRun() : undefined
  if (server) process.env[variable] = server.url // the workers inherit it
  const template = `voucher_template_${randomBytes(6).toString('hex')}`
  await queryServer(`create database ${template}`)
  await migrateAll({ databaseUrl: databaseUrl(template) })
  if (process.env[roleVariable] !== undefined) await addServiceRole(template)
  return { template, release: server?.stop ?? (() => queryServer(`drop database ${template} with (force)`)) }
}

/** With this variable, the service of the tests runs with a role that may do only what SERVICE_ROLE gives it. */
const roleVariable = 'TEST_SERVICE_ROLE'

async function addServiceRole(template: string): Promise<void> {
  const role = `${template}_service`
  await queryServer(`create role ${role} login`)
  process.env[roleVariable] = role // the workers inherit it
  await migrateAll({ databaseUrl: databaseUrl(template), serviceRole: role })
}

/** The address with which the service of a test connects to a clone of the template. The tests themselves are the owner. */
export function serviceUrl(url: string): string {
  const role = process.env[roleVariable]
  if (role === undefined || !URL.canParse(url)) return url // some commands need no database
  const address = new URL(url)
  if (!address.pathname.startsWith('/voucher_test_') || address.username !== owner) return url
  address.username = role
  return address.href
}

/**
 * Vitest's global set-up, once for each project. The projects share one template, which each test file clones. The project that
 * prepared it also releases it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const isFirst = shared.databasesOfRun === undefined
  shared.databasesOfRun ??= prepareDatabases()
  const { template, release } = await shared.databasesOfRun
  project.provide('templateDatabase', template)
  return async () => {
    if (isFirst) await release()
  }
}
