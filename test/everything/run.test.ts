import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'

const script = fileURLToPath(new URL('run.ts', import.meta.url))
const three = ['--only', 'check', '--only', 'long', '--only', 'e2e']

test('a failure does not stop the other commands, and the next run repeats only what failed', async () => {
  const project = createProject('if [ $1 = long ] && [ ! -e $OUTSIDE/mended ]; then echo broken; exit 3; fi')

  const first = await project.run(...three).ended
  writeFileSync(join(project.outside, 'mended'), '')
  const second = await project.run(...three).ended

  expect(first.output).toMatch(/^npm run check +0:00:\d\d +passed +dist\/everything\/\w{12}\/check\.1\.log$/m)
  expect(first.output).toMatch(
    /^npm run test:long +0:00:\d\d +FAILED: exit code 3 +dist\/everything\/\w{12}\/long\.1\.log$/m,
  )
  expect(first.output).toMatch(/^npm run test:ha +not run$/m)
  expect(readFileSync(join(project.repository, project.logOf(first.output, 'long')), 'utf8')).toMatch(/^broken$/m)
  expect(first.code).toBe(1)
  expect(project.started()).toEqual(['check', 'long', 'e2e', 'long'])
  expect(second.output).toMatch(/^npm run test:long +0:00:\d\d +passed +dist\/everything\/\w{12}\/long\.2\.log$/m)
  expect(second.code).toBe(0)
})

test('an interruption ends the command, and the next run goes on with it', async () => {
  const project = createProject(sleepOnceInLong)
  const { child, ended } = project.run(...three)
  await expect.poll(() => project.read('sleeper')).toMatch(/\d\n/)

  child.kill('SIGTERM')

  expect(await ended).toMatchObject({ code: 130, output: expect.stringMatching(/^npm run test:long .* unfinished /m) })
  await expect.poll(() => existsSync(`/proc/${project.read('sleeper').trim()}`)).toBe(false)
  expect((await project.run(...three).ended).code).toBe(0)
  expect(project.started()).toEqual(['check', 'long', 'long', 'e2e'])
})

test('no second run starts while a command of a killed run still works', async () => {
  const project = createProject(sleepOnceInLong)
  const { child, ended } = project.run(...three)
  await expect.poll(() => project.read('sleeper')).toMatch(/\d\n/)
  child.kill('SIGKILL')
  await ended

  const refused = await project.run(...three).ended

  const group = Number(/kill -- -(\d+)/.exec(refused.errors)?.[1])
  expect(refused.code).toBe(1)
  process.kill(-group, 'SIGKILL')
  await expect.poll(() => existsSync(`/proc/${group}`)).toBe(false)
  expect((await project.run(...three).ended).code).toBe(0)
  expect(project.started()).toEqual(['check', 'long', 'long', 'e2e'])
})

test('another commit has results of its own, and those of the earlier one can still be printed', async () => {
  const project = createProject('true')
  await project.run('--only', 'check').ended
  project.commit('another')

  const table = await project.run('--table', '--only', 'check').ended
  const earlier = await project.run('--table', '--only', 'check', 'HEAD~1').ended
  await project.run('--only', 'check').ended

  expect(table).toMatchObject({ code: 1, output: expect.stringMatching(/^npm run check +not run$/m) })
  expect(earlier).toMatchObject({ code: 0, output: expect.stringMatching(/^npm run check .* passed /m) })
  expect(project.started()).toEqual(['check', 'check'])
})

test('a tree with changes is refused, except for saved results of the bench', async () => {
  const project = createProject('true')
  mkdirSync(join(project.repository, 'bench/results'), { recursive: true })
  writeFileSync(join(project.repository, 'bench/results/saved.json'), '{}')

  const saved = await project.run('--only', 'check').ended
  writeFileSync(join(project.repository, 'new.ts'), '')
  const changed = await project.run('--only', 'long').ended

  expect(saved.code).toBe(0)
  expect(changed).toMatchObject({ code: 1, errors: expect.stringContaining('Commit or stash your changes first') })
  expect(project.started()).toEqual(['check'])
})

test('a result does not count if files change meanwhile', async () => {
  const project = createProject('touch new.ts')

  const { code, output } = await project.run(...three).ended

  expect(output).toContain('Somebody changed files or the commit while npm run check ran.')
  expect(output).toMatch(/^npm run check +not run$/m)
  expect(code).toBe(1)
  expect(project.started()).toEqual(['check'])
})

test('an unknown command is rejected', async () => {
  const { code, errors } = await createProject('true').run('--only', 'longer').ended

  expect([code, errors]).toEqual([1, expect.stringContaining('Unknown command: longer. Commands: check, long, ')])
})

const sleepOnceInLong = `if [ $1 = long ] && [ ! -e $OUTSIDE/sleeper ]; then sleep 600 & echo $! > $OUTSIDE/sleeper; wait; fi`

/** A repository where each command runs this script with its name. What the script leaves is in `outside`. */
function createProject(act: string) {
  const folder = mkdtempSync(join(tmpdir(), 'everything-test-'))
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  const [outside, repository] = [join(folder, 'outside'), join(folder, 'repository')]
  mkdirSync(outside)
  mkdirSync(repository)
  const command = (name: string) => `bash act.sh ${name}`
  const scripts = { check: command('check'), 'test:long': command('long'), 'test:e2e': command('e2e') }
  writeFileSync(join(repository, 'package.json'), JSON.stringify({ scripts }))
  writeFileSync(join(repository, 'act.sh'), `echo $1 >> $OUTSIDE/started\n${act}\n`)
  writeFileSync(join(repository, '.gitignore'), 'dist/\n')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository })
  const commit = (message: string) => {
    git('add', '.')
    git(
      '-c',
      'user.name=T',
      '-c',
      'user.email=t@example.org',
      'commit',
      '--quiet',
      '--allow-empty',
      '--message',
      message,
    )
  }
  git('init', '--quiet')
  commit('first')
  const read = (name: string) => (existsSync(join(outside, name)) ? readFileSync(join(outside, name), 'utf8') : '')
  return {
    ...{ repository, outside, commit, read },
    started: () => read('started').trim().split('\n'),
    logOf: (output: string, name: string) =>
      new RegExp(`dist/everything/\\w+/${name}\\.\\d+\\.log`).exec(output)?.[0] ?? '',
    run(...args: string[]) {
      const env = { ...process.env, OUTSIDE: outside }
      const child = spawn(process.execPath, [script, ...args], {
        cwd: repository,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      return { child, ended: outcomeOf(child) }
    },
  }
}

async function outcomeOf(child: ChildProcess) {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('The output of the process is not piped')
  const [[code], output, errors] = await Promise.all([once(child, 'exit'), text(stdout), text(stderr)])
  return { code: code as number | null, output, errors }
}
