import { expect } from 'vitest'
import { runCommand } from '#test/service.ts'

/** Runs `voucher-service reconcile` and returns the site and the code of each lost voucher. */
export async function reconcile(databaseUrl: string, ...args: string[]): Promise<string[]> {
  const { stdout, exitCode } = await runCommand(databaseUrl, ['reconcile', '--json', ...args])
  expect(exitCode).toBe(0)
  const rows: { site: number; code: string }[] = JSON.parse(stdout)
  return rows.map(({ site, code }) => `${site} ${code.replace('-', '')}`)
}

/** The column `unrecorded` of `voucher-service sites list`, by the id of the site. */
export async function countUnrecorded(databaseUrl: string): Promise<Map<number, number>> {
  const sites: { id: number; unrecorded: number }[] = (
    await runCommand(databaseUrl, ['sites', 'list', '--json'])
  ).json()
  return new Map(sites.map(({ id, unrecorded }) => [id, unrecorded]))
}
