import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp, type TestApp } from '../app.ts'
import { runCommand } from '../command.ts'
import { startSimulator } from '../network/simulator.ts'
import { onFileEnd } from '../on-file-end.ts'
import { startMariaDB, type ToolDatabase } from './mariadb.ts'
import { createToolTables, seedToolSite } from './tables.ts'

/** A private MariaDB for the databases of tools, and the command that imports from them. */
export async function startImporting() {
  const mariadb = await startMariaDB()
  const folder = mkdtempSync(join(tmpdir(), 'import-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  let tools = 0

  /** A file in a folder of this run. */
  function fileWith(content: string): string {
    const path = join(folder, crypto.randomUUID())
    writeFileSync(path, content)
    return path
  }

  async function startTool(): Promise<ToolDatabase> {
    const tool = await mariadb.createDatabase(`tool_${++tools}`)
    await createToolTables(tool)
    return tool
  }

  /** A tool with a site on a console, and our service without sites. */
  async function startBoth(env: Record<string, string> = {}) {
    const simulator = await startSimulator('--https', '--flavour', 'console')
    const at = {
      unifi_controller_url: `${simulator.url}/`,
      unifi_username: simulator.login.username,
      unifi_password: simulator.login.password,
    }
    const tool = await startTool()
    await seedToolSite(tool, { id: 7, name: 'Nord', ...at })
    const app = await startApp(env)
    return { simulator, at, tool, app, pins: fileWith(`${simulator.url} ${simulator.fingerprint}\n`) }
  }

  const run = ({ db }: Pick<TestApp, 'db'>, tool: ToolDatabase, ...args: string[]) =>
    runCommand(db.url, ['--json', 'import', 'php-tool', '--mysql-url-file', fileWith(`${tool.url}\n`), ...args])

  return { mariadb, fileWith, startBoth, run }
}

/** The counts of a report: added, known before, left. */
export function countsOf({ stdout }: { stdout: string }) {
  return Object.fromEntries(
    JSON.parse(stdout).counts.map(({ part, added, hereBefore, left }: Record<string, unknown>) => [
      part,
      [added, hereBefore, left],
    ]),
  )
}
