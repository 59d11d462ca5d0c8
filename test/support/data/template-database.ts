import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrateAll } from '../../../src/commands/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    templateDatabase: string
  }
}

export const serverUrl = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

export function databaseUrl(name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

export async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Vitest's global set-up: migrates once; each test file clones the result. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = `voucher_template_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${template}`)
  await migrateAll(databaseUrl(template))
  project.provide('templateDatabase', template)
  return () => onServer(`drop database ${template} with (force)`)
}
