import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { serviceVersion } from '#lib/version.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { databaseUrl, queryServer } from '#test/data/template-database.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand, startService } from '#test/service.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Version 99.0.0 of the service: this one with another migration. Returns its program. */
function installLaterVersion(planted: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'version-99-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  for (const part of [
    'dist/service',
    'src/db/migrations',
    'src/domain/people/common-passwords.txt',
    'src/http/reference',
  ])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: '99.0.0' }))
  writeFileSync(join(folder, 'src/db/migrations/9000_planted.sql'), planted)
  return join(folder, 'dist/service/main.js')
}

const later = installLaterVersion(
  '-- breaks_before: 99.0.0 (drops vouchers.reference)\nalter table vouchers drop column reference cascade;',
)
const outdated = `Version ${serviceVersion()} does not work with the database since migration 9000_planted (drops vouchers.reference).`
const sentence = `${outdated} Replace this process with version 99.0.0 or newer.`

test('a migration that breaks this version: the later version announces it, and processes of this version stop working', async () => {
  const db = await createTestDatabase()
  const service = await startService(db.url, {}, 'start')
  const ready = async () => {
    const { status, json } = await call(`${service.url}/readyz`)
    return [status, json().reason]
  }

  const check = await spawnCommand(db.url, ['migrate', '--check', '--json'], { script: later })
  const before = await ready()
  const migrated = await spawnCommand(db.url, ['migrate', '--json'], { script: later })

  expect([check.exitCode, check.json()]).toMatchObject([3, { missing: ['9000_planted'], breaking: ['9000_planted'] }])
  expect(check.stderr).toBe(
    'Stop every process older than version 99.0.0 before you migrate: migration 9000_planted breaks it (drops vouchers.reference).\n',
  )
  expect(before).toEqual([200, undefined])
  expect([migrated.exitCode, migrated.stderr]).toEqual([
    0,
    'Processes older than version 99.0.0 no longer work, because of migration 9000_planted (drops vouchers.reference). Replace all of them now.\n',
  ])
  expect(await ready()).toEqual([503, sentence])
  await expect.poll(() => service.log.join('\n')).toContain(`the worker stops its work: ${sentence}`)
  expect(service.process.exitCode).toBeNull()
  expect(await service.stop()).toBe(0)

  for (const command of ['api', 'worker', 'start'])
    expect(await spawnCommand(db.url, [command])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(sentence),
    })
  const ownCheck = await spawnCommand(db.url, ['migrate', '--check'])
  expect([ownCheck.exitCode, ownCheck.stderr]).toEqual([4, `${outdated}\n`])
  const replacement = await startService(db.url, {}, 'start', later)
  expect((await call(`${replacement.url}/readyz`)).status).toBe(200)
  expect(await replacement.stop()).toBe(0)
})

test('a restored backup still says which versions do not work with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'later-backup-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  const name = `voucher_restored_${process.pid}`
  await queryServer(`create database ${name}`)
  onFileEnd(() => queryServer(`drop database if exists ${name} with (force)`))
  const db = await createTestDatabase()
  const [file, target] = [join(folder, 'later.backup'), databaseUrl(name)]
  await spawnCommand(db.url, ['migrate'], { script: later })

  expect(await spawnCommand(db.url, ['backup', file], { script: later })).toMatchObject({ exitCode: 0 })
  expect(await spawnCommand(target, ['restore', file], { script: later })).toMatchObject({ exitCode: 0 })

  expect(await spawnCommand(target, ['api'])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(sentence) })
})
