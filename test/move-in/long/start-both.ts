import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startApp } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startMariaDB, type ToolDatabase } from '#test/php-tool/mariadb.ts'
import { type PhpTool, startPhpTool, toolDirectory } from '#test/php-tool/server.ts'
import { seedToolKey, seedToolSite, seedToolVoucher } from '#test/php-tool/tables.ts'
import { type KeyName, siteIds } from './compared-requests.ts'

export type StartedTool = { tool: PhpTool; db: ToolDatabase; controller: Simulator }

const simulatorSites = ['default=Default', 'a1b2c3d4=Lobby', 'altbau=Altbau', 'bar=Bar', 'stock=Stock']
const simulatorOptions = [
  '--login-limit',
  '0',
  '--password',
  'console',
  ...simulatorSites.flatMap((site) => ['--site', site]),
]

/** The real tool with the tables of its own script, and a console with five sites, over HTTPS. */
export async function startToolWithController(timeZone = '+00:00'): Promise<StartedTool> {
  const server = await startMariaDB({ timeZone })
  const db = await server.createDatabase('tool')
  await db.query(readFileSync(join(toolDirectory ?? '', 'database.sql'), 'utf8'))
  const controller = await startSimulator('--https', ...simulatorOptions)
  return { tool: await startPhpTool(server, db), db, controller }
}

/** The fields of a site on this console. The password is stored as text, as old versions of the tool did. */
export function onConsole({ url, login }: Simulator) {
  return { unifi_controller_url: url, unifi_username: login.username, unifi_password: login.password }
}

const nowhere = 'http://127.0.0.1:9'

/** The sites by `siteIds`. */
const sites = [
  { name: 'Zimmer', site_id: 'default' },
  { name: 'ärzte', site_id: 'a1b2c3d4' },
  { name: 'Altbau', site_id: 'altbau', is_active: 0 },
  { name: 'bar', site_id: 'bar' },
  { name: 'Bad', unifi_controller_url: nowhere },
  { name: '2. Stock', site_id: 'stock', unifi_username: 'nobody' },
] as const

const keyRows: Record<KeyName, Parameters<typeof seedToolKey>[1]> = {
  write: {},
  read: { scope: 'read' },
  inactive: { is_active: 0 },
  limited: { scope: 'read', rate_limit: 3 },
}

/**
 * The tool with sites, keys and 250 old vouchers, and our service that has imported them. Then our service gets a console of its own, with
 * the same sites.
 */
export async function startBoth(): Promise<{ toolUrl: string; ourUrl: string; keys: Record<KeyName, string> }> {
  const { tool, db, controller } = await startToolWithController()
  const ourController = await startSimulator(...simulatorOptions)
  const app = await startApp({ TZ: 'Europe/Berlin' })

  for (const site of sites) await seedToolSite(db, { ...onConsole(controller), ...site })
  const keys = {} as Record<KeyName, string>
  for (const name of Object.keys(keyRows) as KeyName[])
    keys[name] = (await seedToolKey(db, { name, ...keyRows[name] })).key
  for (let second = 0; second < 250; second++)
    await seedToolVoucher(db, siteIds.archive, {
      voucher_code: String(4_000_000_000 + second * 7),
      voucher_name: `2026-10-01_Gast ${second}`,
      created_at: new Date(Date.UTC(2026, 9, 1) + second * 1000).toISOString().slice(0, 19).replace('T', ' '),
    })

  await importAll(app.db.url, db, [`${controller.url} ${controller.fingerprint}`, `${nowhere} plain`])
  await app.db.query('update controllers set address = $2, certificate_pin = null where address = $1', [
    controller.url,
    ourController.url,
  ])
  return { toolUrl: tool.url, ourUrl: app.url, keys }
}

/** Imports from the tool and ends the trial. */
export async function importAll(databaseUrl: string, tool: ToolDatabase, pins: string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'move-in-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  const [url, trusted] = [join(folder, 'url'), join(folder, 'pins')]
  writeFileSync(url, tool.url)
  writeFileSync(trusted, pins.join('\n'))
  const files = ['--mysql-url-file', url, '--trust-pins', trusted]
  for (const args of [
    ['import', 'php-tool', ...files],
    ['resume', '--yes'],
  ]) {
    const { exitCode, stderr } = await runCommand(databaseUrl, args)
    expect(exitCode, stderr).toBe(0)
  }
}
