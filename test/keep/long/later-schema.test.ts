import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
/** Tests of the api that read and write the tables that the planted migrations change. */
const tests = [
  'src/http/v1/create-voucher.test.ts',
  'src/http/v1/vouchers.test.ts',
  'src/http/v2/change-voucher.test.ts',
]

/** Runs the tests of this code on the schema of a later version, whose last migration is the planted one. */
async function runOnLaterSchema(planted: string): Promise<{ exitCode: number; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'later-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  cpSync(join(root, 'src/db/migrations'), folder, { recursive: true })
  writeFileSync(join(folder, '9000_planted.sql'), planted)
  // Without the variables of the vitest that runs this test.
  const { PATH, HOME, TEST_DATABASE_URL } = process.env
  const env = { PATH, HOME, TEST_LATER_MIGRATIONS: folder, ...(TEST_DATABASE_URL && { TEST_DATABASE_URL }) }
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'run', ...tests], { cwd: root, env })
    return { exitCode: 0, output: stdout }
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string }
    return { exitCode: code, output: stdout }
  }
}

test('this code works on a later schema that only adds', async () => {
  const { exitCode, output } = await runOnLaterSchema(
    `alter table vouchers add column planted text;
     alter table creations add column planted integer not null default 0;
     create table planted (id integer primary key);
     create index planted_vouchers on vouchers (planted) where planted is not null;`,
  )

  expect([exitCode, output]).toEqual([0, expect.stringMatching(/[1-9]\d* passed, 0 failed/)])
}, 300_000)

test('a later schema that takes something away makes the tests fail', async () => {
  const { exitCode, output } = await runOnLaterSchema('alter table vouchers rename column reference to booking;')

  expect([exitCode, output]).toEqual([1, expect.stringMatching(/[1-9]\d* failed/)])
}, 300_000)
