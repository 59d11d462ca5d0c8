import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { processEnvironment } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { acts } from './acts.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** The test files that a command of `package.json` runs. */
async function filesOf(script: string, more: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const list = script.replace('vitest run', './node_modules/.bin/vitest list --filesOnly')
  const env = { ...processEnvironment, ...more }
  const { stdout } = await promisify(execFile)('sh', ['-c', list], { cwd: root, env })
  return stdout.match(/\S+\.test\.ts$/gm) ?? []
}

test('every test file is in exactly one of the commands with full size', async () => {
  const ofFolders = globSync('test/{faults,ha}/**/*.test.ts', { cwd: root })
  const listed = await Promise.all(['test:long', 'test:e2e', 'test:clients'].map((name) => filesOf(scripts[name])))
  const all = globSync('{src,simulator,client,web,bench,test}/**/*.test.ts', { cwd: root })

  expect([...ofFolders, ...listed.flat()].toSorted()).toEqual(all.toSorted())
})

test('files of both lanes are left out after they passed', async () => {
  const passed = ['test/queue/stalled.test.ts', 'test/house/lanes.test.ts']
  const folder = mkdtempSync(join(tmpdir(), 'acts-test-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  const journal = join(folder, 'journal')
  writeFileSync(journal, passed.map((file) => JSON.stringify({ file, passed: true })).join('\n'))
  const script = 'vitest run test/queue test/house'

  const [all, left] = await Promise.all([filesOf(script), filesOf(script, { TEST_JOURNAL: journal })])

  expect(all).toEqual(expect.arrayContaining(passed))
  expect(left.toSorted()).toEqual(all.filter((file) => !passed.includes(file)).toSorted())
})

test('the commands exist', () => {
  const names = acts.map(({ command }) => /^npm run (\S+)/.exec(command)?.[1] as string)

  expect(names.filter((name) => scripts[name] === undefined)).toEqual([])
})

test('the weekly workflow runs each command in a job of its own', () => {
  const { jobs } = parse(readFileSync(`${root}.github/workflows/everything.yml`, 'utf8'))

  expect(jobs.act.strategy.matrix.act).toEqual(acts.map(({ name }) => name))
})
