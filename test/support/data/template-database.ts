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

const shared = globalThis as { serverOfRun?: ReturnType<typeof startServerOfRun> }

/** Starts one server for all projects, unless TEST_DATABASE_URL names another one. Returns a function that stops it. */
async function provideServer(): Promise<(() => Promise<void>) | undefined> {
  if (shared.serverOfRun) await shared.serverOfRun
  if (process.env[variable] !== undefined || !canStartServer()) return undefined
  shared.serverOfRun = startServerOfRun()
  const { url, stop } = await shared.serverOfRun
  process.env[variable] = url // the workers inherit it
  return stop
}

/**
 * Vitest's global set-up, once for each project: builds the service, starts PostgreSQL and migrates once; each test file
 * clones the result.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await promisify(execFile)(process.execPath, [buildService])
  const stop = await provideServer()
  const template = `voucher_template_${randomBytes(6).toString('hex')}`
  await queryServer(`create database ${template}`)
  await migrateAll({ databaseUrl: databaseUrl(template) })
  project.provide('templateDatabase', template)
  if (shared.serverOfRun) return async () => stop?.() // its databases are deleted with it
  return () => queryServer(`drop database ${template} with (force)`)
}
