import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { processEnvironment } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { readJournal } from './file-journal.ts'

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const journalModule = new URL('file-journal.ts', import.meta.url)

const passes = `test('passes', () => {})`
const fails = `test('fails', () => { throw new Error('no') })`

test('the next run has only the files that failed', async () => {
  const project = createProject({ 'a.test.js': passes, 'b.test.js': fails })

  expect(await project.run().code).toBe(1)
  expect(project.journal()).toEqual({ passed: ['a.test.js'], failed: ['b.test.js'] })
  project.write('b.test.js', passes)
  expect(await project.run().code).toBe(0)

  expect(project.started()).toEqual(['a', 'b', 'b'])
  expect(project.journal()).toEqual({ passed: ['a.test.js', 'b.test.js'], failed: [] })
})

test('a killed run goes on with the file that it did not finish, even if it left half a line', async () => {
  const project = createProject({ 'a.test.js': passes, 'b.test.js': `test('hangs', () => new Promise(() => {}), 0)` })
  const { child, code } = project.run()
  await expect.poll(() => project.started()).toEqual(['a', 'b'])
  child.kill('SIGKILL')
  await code
  writeFileSync(project.path, `${readFileSync(project.path, 'utf8')}\n{"file":"b.te`)
  project.write('b.test.js', passes)

  expect(await project.run().code).toBe(0)

  expect(project.started()).toEqual(['a', 'b', 'b'])
  expect(project.journal()).toEqual({ passed: ['a.test.js', 'b.test.js'], failed: [] })
})

test('an error outside of all tests counts for the file that ran', async () => {
  const late = `test('passes', async () => { setTimeout(() => { throw new Error('late') }); await new Promise((end) => setTimeout(end, 50)) })`
  const project = createProject({ 'a.test.js': passes, 'b.test.js': late })

  expect(await project.run().code).toBe(1)

  expect(project.journal()).toEqual({ passed: ['a.test.js'], failed: ['b.test.js'] })
})

/** A folder with test files, where Vitest runs as in this project: one after the other, with a journal. */
function createProject(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'journal-test-'))
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  const [path, startedFile] = [join(folder, 'journal'), join(folder, 'started')]
  const write = (name: string, content: string) =>
    writeFileSync(
      join(folder, name),
      `import { appendFileSync } from 'node:fs'
       appendFileSync('${startedFile}', '${name[0]}\\n')
       ${content}`,
    )
  for (const [name, content] of Object.entries(files)) write(name, content)
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `import { FileJournal, readJournal } from '${journalModule}'
     const { passed } = readJournal('${path}')
     class ByName { constructor() {} shard(files) { return files } sort(files) { return files.toSorted((a, b) => a.moduleId < b.moduleId ? -1 : 1) } }
     export default { test: { globals: true, exclude: passed, fileParallelism: false, sequence: { sequencer: ByName },
       reporters: [new FileJournal('${path}')] } }`,
  )
  return {
    ...{ path, write },
    journal: () => readJournal(path),
    started: () => (existsSync(startedFile) ? readFileSync(startedFile, 'utf8').trim().split('\n') : []),
    run() {
      const child = spawn(process.execPath, [vitest, 'run'], { cwd: folder, env: processEnvironment, stdio: 'ignore' })
      return { child, code: once(child, 'exit').then(([code]) => code as number | null) }
    },
  }
}
