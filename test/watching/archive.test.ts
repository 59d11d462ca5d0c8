import pg from 'pg'
import { expect, test } from 'vitest'
import { freePort } from '#test/data/local-servers.ts'
import { startPostgres } from '#test/data/private-stores.ts'
import { call } from '#test/network/http-client.ts'
import { spawnCommand, startService } from '#test/service.ts'

const notArchived = 'PostgreSQL has not archived its write-ahead log since'

async function query(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

test('an archive of PostgreSQL that fails or has no command is a metric and a warning of the doctor until it works again', async () => {
  const postgres = await startPostgres({ archive_mode: 'on' })
  const url = postgres.url('postgres')
  await spawnCommand(url, ['migrate'])
  const port = String(await freePort())
  await startService(url, { METRICS_PORT: port })
  const failing = async () =>
    Number(
      /^voucher_service_archive_failing_seconds (\S+)$/m.exec(
        (await call(`http://127.0.0.1:${port}/metrics`)).text,
      )?.[1],
    )
  const findings = async () => {
    const all: { check: string; message: string; fix: string }[] = (
      await spawnCommand(url, ['doctor', '--json', '--no-controllers'])
    ).json()
    return all.filter(({ check }) => check === 'archive').map(({ message, fix }) => `${message} ${fix}`)
  }
  const archiveWith = async (command: string) => {
    for (const statement of [
      `alter system set archive_command = '${command}'`,
      'select pg_reload_conf()',
      `select pg_logical_emit_message(false, 'test', 'test')`,
      'select pg_switch_wal()',
    ])
      await query(url, statement)
  }

  await expect.poll(failing).toBeGreaterThan(0)
  expect(await findings()).toEqual([expect.stringMatching(`${notArchived}.*archive_command is empty`)])
  await archiveWith('true')
  await expect.poll(failing).toBe(0)
  expect(await findings()).toEqual([])
  await archiveWith('false')
  await expect.poll(failing).toBeGreaterThan(0)
  expect(await findings()).toEqual([expect.stringMatching(`${notArchived}.*archive command failed`)])
  await archiveWith('true')
  await expect.poll(failing, { timeout: 120_000 }).toBe(0) // it tries again a minute after three failures
})
