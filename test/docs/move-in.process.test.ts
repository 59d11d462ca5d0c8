import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startMariaDB } from '#test/php-tool/mariadb.ts'
import { encryptedByTool, toolAppKey } from '#test/php-tool/secrets.ts'
import { createToolTables, seedToolSite, seedToolVoucher } from '#test/php-tool/tables.ts'
import { openShell, shellBlocksOf } from './shell-blocks.ts'

const page = readFileSync(new URL('../../docs/move-in.md', import.meta.url), 'utf8')
const shell = openShell()
const write = (name: string, text: string) => writeFileSync(join(shell.folder, name), text)

test('an account that may only read is enough, and the blocks of the page import and begin a trial', async () => {
  const [mariadb, simulator, db] = await Promise.all([
    startMariaDB(),
    startSimulator('--https', '--flavour', 'console', '--password', encryptedByTool[0].text),
    createTestDatabase(),
  ])
  const tool = await mariadb.createDatabase('unifi_voucher')
  await createToolTables(tool)
  await seedToolSite(tool, {
    id: 7,
    unifi_controller_url: simulator.url,
    unifi_username: simulator.login.username,
    unifi_password: encryptedByTool[0].encrypted,
  })
  await seedToolVoucher(tool, 7, { voucher_code: '12345-67890', voucher_name: '2026-11-10_Huber' })
  const [, sql = ''] = /```sql\n([\s\S]*?)```/.exec(page) ?? []
  const [, address = ''] = /```\n\s*(mysql:\S+)\n/.exec(page) ?? []
  await mariadb.query(sql)
  write('tool.url', `${address.replace('3306', String(mariadb.port))}\n`)
  write('app.key', toolAppKey)

  const [show = '', importAll = '', ...others] = shellBlocksOf(page)
  expect(others).toEqual([])
  const shown = await shell.run(show, db.url, {}, '')
  expect([shown.code, shown.stderr]).toEqual([1, expect.stringContaining('Nothing was imported.')])
  write('pins.txt', shown.stderr.match(/^https:.*$/gm)?.join('\n') ?? '')

  const imported = await shell.run(importAll, db.url, {}, '')
  expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('A trial has begun')])
  const { rows } = await db.query('select site_id, code, name from vouchers')
  expect(rows).toEqual([{ site_id: 7, code: '1234567890', name: 'Huber' }])

  const tested = await shell.run('voucher-service sites test --all', db.url, {}, '')
  expect({ ...tested }).toMatchObject({ code: 0 })
  const resumed = await shell.run('voucher-service resume', db.url, {}, 'yes\n')
  expect({ ...resumed }).toMatchObject({ code: 0 })
})
