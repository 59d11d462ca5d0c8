import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'

const script = fileURLToPath(new URL('steady.ts', import.meta.url))

test('one line for each run, then the tests that failed and the slowest files', async () => {
  const project = createProject(`
    if [ ! -e "$OUTSIDE/second" ]; then touch "$OUTSIDE/second"
      echo '{"passed":2,"failures":[],"files":[{"file":"a.test.ts","seconds":1},{"file":"b.test.ts","seconds":8}]}' > "$TEST_REPORT"
      exit 0
    fi
    echo '{"passed":1,"failures":[{"file":"a.test.ts","test":"keeps","seconds":3,"message":"expected 1 to be 2"}],
      "files":[{"file":"a.test.ts","seconds":3},{"file":"b.test.ts","seconds":8}]}' > "$TEST_REPORT"
    exit 1`)

  const { code, output } = await project.run('--idle', '1', '--busy', '2').ended

  expect(output).toMatch(/^Run 1, idle: green, \d+:\d\d, 2 passed, 0 failed$/m)
  expect(output).toMatch(/^Run 3, busy: RED \(exit code 1\), \d+:\d\d, 1 passed, 1 failed$/m)
  expect(output).toContain(
    '2 of 3 runs failed:\n   2 times  a.test.ts > keeps\n            run 2, 3 s: expected 1 to be 2\n            run 3',
  )
  expect(output).toContain('     8.0  b.test.ts\n     2.3  a.test.ts\n')
  expect(code).toBe(1)
  expect(project.clones()).toEqual([])
})

test('a run that fails before its tests shows the end of its log, which stays', async () => {
  const project = createProject('echo "error TS2322: no number"; exit 2')

  const { code, output } = await project.run('--idle', '1', '--busy', '0').ended

  expect(output).toMatch(/RED \(exit code 2\), \d+:\d\d, the tests did not end/)
  expect(output).toMatch(/CI failed, but no test\n +run 1, \d+ s: error TS2322/)
  expect(readFileSync(`${/logs are in (.+)/.exec(output)?.[1]}/1-idle.log`, 'utf8')).toBe('error TS2322: no number\n')
  expect(code).toBe(1)
})

test('runs without a failure exit with 0', async () => {
  const { code, output } = await createProject('exit 0').run('--idle', '2', '--busy', '0').ended

  expect(output).toContain('0 of 2 runs failed.')
  expect(code).toBe(0)
})

test('an interruption ends the run and the busy processes and removes the clone', async () => {
  const project = createProject(
    'sleep 600 & echo $! > "$OUTSIDE/sleeper"; ps -o pid= --ppid $PPID > "$OUTSIDE/pids"; wait',
  )
  const { child, ended } = project.run('--idle', '0', '--busy', '1')
  await expect.poll(() => readIfThere(join(project.outside, 'pids'))).toMatch(/\d+\s+\d+\s+\d+/)
  const pids = readIfThere(join(project.outside, 'pids')).split(/\s+/).filter(Boolean)
  pids.push(readIfThere(join(project.outside, 'sleeper')).trim())

  child.kill('SIGTERM')

  expect((await ended).code).toBe(130)
  expect(project.clones()).toEqual([])
  await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
})

/** A repository whose CI is this script. Its temporary folders are in `outside`. */
function createProject(ci: string) {
  const folder = mkdtempSync(join(tmpdir(), 'steady-test-'))
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  const outside = join(folder, 'outside')
  const repository = join(folder, 'repository')
  mkdirSync(outside)
  mkdirSync(join(repository, '.ci'), { recursive: true })
  writeFileSync(join(repository, '.ci/run'), `${ci}\n`)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository })
  git('init', '--quiet')
  git('add', '.')
  git('-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '--message', 'test')
  return {
    outside,
    clones: () => readdirSync(outside).filter((name) => name.startsWith('steady-clone-')),
    run(...args: string[]) {
      const child = spawn(process.execPath, [script, ...args], {
        cwd: repository,
        env: { ...process.env, TMPDIR: outside, OUTSIDE: outside },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = Promise.all([once(child, 'exit'), text(child.stdout)])
      return { child, ended: ended.then(([[code], output]) => ({ code, output })) }
    },
  }
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
