import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite } from '#test/data/seed.ts'
import { databaseUrl, queryServer } from '#test/data/template-database.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { openShell, shellBlocksOf } from './shell-blocks.ts'

const page = readFileSync(new URL('../../docs/backups.md', import.meta.url), 'utf8')
const shell = openShell()
const db = await createTestDatabase()
await seedControlledSite(db, await startSimulator())

const restored = `${new URL(db.url).pathname.slice(1)}_restored`
onFileEnd(() => queryServer(`drop database if exists ${restored} with (force)`))
const { hostname, port, username } = new URL(db.url)
/** PostgreSQL's administrator needs no `sudo` here. */
writeFileSync(join(shell.folder, 'sudo'), '#!/bin/sh\nshift 2\nexec "$@"\n', { mode: 0o755 })
const variables = { PGHOST: hostname, PGPORT: port, PGUSER: username }

/** Replaces the folder, the database, its owner and the name of the backup on the page by those of this test. */
function adapt(block: string): string {
  const [file = 'none'] = readdirSync(shell.folder).filter((name) => name.endsWith('.backup'))
  return block
    .replace('vouchers-2026-11-17.backup', file)
    .replaceAll('/backups/', `${shell.folder}/`)
    .replace('--owner=vouchers', `--owner=${username}`)
    .replaceAll('vouchers_restored', restored)
}

test('the blocks of the page back up, restore into an empty database, reconcile and resume', async () => {
  // Blocks that name a machine are for pgBackRest: `npm run test:ha` runs them.
  const [backup = '', ...others] = shellBlocksOf(page).filter((block) => !block.startsWith('# on '))
  expect(await shell.run(adapt(backup), db.url, variables, '')).toMatchObject({ code: 0 })
  expect(readdirSync(shell.folder).filter((name) => name.endsWith('.backup'))).toHaveLength(1)

  for (const block of others) {
    const run = await shell.run(adapt(block), databaseUrl(restored), variables, 'yes\n')
    expect({ block, ...run }).toMatchObject({ block, code: 0 })
  }
  const sites = await shell.run('voucher-service sites list --json', databaseUrl(restored), variables, '')
  expect(JSON.parse(sites.stdout)).toHaveLength(1)
})

test('a backup that does not exist is not restored', async () => {
  const missing = `voucher-service restore ${join(shell.folder, 'nope.backup')}`

  expect((await shell.run(missing, databaseUrl(restored), variables, '')).code).not.toBe(0)
})
