import { databaseUrl, queryServer } from '#test/data/template-database.ts'
import { onFileEnd } from '#test/on-file-end.ts'

/** A database without tables, which a release migrates itself. Returns its address. */
export async function createEmptyDatabase(): Promise<string> {
  const name = `voucher_upgrade_${process.pid}_${Date.now()}`
  await queryServer(`create database ${name}`)
  onFileEnd(() => queryServer(`drop database if exists ${name} with (force)`))
  return databaseUrl(name)
}
