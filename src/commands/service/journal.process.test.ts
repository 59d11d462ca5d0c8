import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { processEnvironment, testEnvironment } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { program } from '#test/service.ts'

const db = await createTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'journal-'))
onFileEnd(() => rmSync(folder, { recursive: true }))

/** Both outputs of an api go to one file, as they go to one socket under systemd. `stream` is its JOURNAL_STREAM. */
async function runApi(name: string, stream: (own: string) => string, env: Record<string, string> = {}) {
  const file = join(folder, name)
  const output = openSync(file, 'w')
  const { dev, ino } = fstatSync(output)
  const child = spawn(process.execPath, [program, 'api'], {
    env: {
      ...processEnvironment,
      ...testEnvironment(db.url, { LOG_LEVEL: 'info', JOURNAL_STREAM: stream(`${dev}:${ino}`), ...env }),
    },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const ended = once(child, 'exit')
  onFileEnd(() => child.kill('SIGKILL'))
  const lines = () => readFileSync(file, 'utf8').trim().split('\n')
  await Promise.race([ended, expect.poll(lines).toContainEqual(expect.stringContaining('listening on'))])
  child.kill('SIGTERM')
  await ended
  return lines()
}

test('lines in the journal begin with their priorities: `journalctl -p warning` finds the warnings', async () => {
  const lines = await runApi('connected', (own) => own, { LOG_LEVLE: 'debug' })

  expect(lines.filter((line) => !/^<[3467]>\{"level":\d+,.*\}$/.test(line))).toEqual([])
  expect(lines.find((line) => line.includes('LOG_LEVLE'))).toMatch(/^<4>\{"level":40,/)
  expect(lines.find((line) => line.includes('listening on'))).toMatch(/^<6>\{"level":30,/)
})

test('a start that fails is an error in the journal, line by line', async () => {
  const lines = await runApi('rejected', (own) => own, { DATABASE_POOL_SIZE: 'many' })

  expect(lines.length).toBeGreaterThan(1)
  expect(lines.filter((line) => !line.startsWith('<3>'))).toEqual([])
  expect(lines[0]).toContain('<3>voucher-service: Some settings are missing or invalid')
})

test('lines that go elsewhere have no priority, even if the variable was inherited', async () => {
  const lines = [...(await runApi('other', () => '8:1')), ...(await runApi('failed', () => '8:1', { PORT: 'x' }))]

  expect(lines.filter((line) => line.startsWith('<'))).toEqual([])
  expect(lines.find((line) => line.includes('listening on'))).toMatch(/^\{"level":30,/)
})
