import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onFileEnd } from '../on-file-end.ts'

const migrations = fileURLToPath(new URL('../../../src/db/migrations', import.meta.url))

/** Returns a folder with the migrations of a later version: all migrations of this one, and the planted one. */
export function laterMigrations(planted: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'later-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  cpSync(migrations, folder, { recursive: true })
  writeFileSync(join(folder, '9000_planted.sql'), planted)
  return folder
}
