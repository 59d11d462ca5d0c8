import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { serverUrl } from '#test/data/template-database.ts'
import { isLong } from '#test/measuring.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const commands = (
  /## Try it[\s\S]*?```sh\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''
)
  .trim()
  .split('\n')
  .map((line) => line.split(/ {2,}#/)[0] as string)
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DATABASE_URL: serverUrl, ...certificates() }

/** The settings with which this machine reaches the npm registry. */
function certificates(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(NODE_EXTRA_CA_CERTS|npm_config_.*|https?_proxy)$/i.test(name)),
  ) as Record<string, string>
}

/** The clone uses the packages and the web app of this folder, because CI has already made them. The long run makes its own. */
const replacements: Record<string, string> = isLong
  ? {}
  : { 'npm ci': `ln -s '${join(root, 'node_modules')}' . && cp -R '${join(root, 'dist')}' .` }

test('from a clean clone, the three commands of README and the line they print make the first voucher', async () => {
  const clone = mkdtempSync(join(tmpdir(), 'readme-'))
  onFileEnd(() => rmSync(clone, { recursive: true }))
  await promisify(execFile)('git', ['clone', '--quiet', root, clone])
  expect(commands).toEqual(['. .ci/node', 'npm ci', 'npm run demo'])

  // The port is changed: 8080 may be taken on this machine.
  const script = `set -e\n${commands.map((command) => replacements[command] ?? command).join('\n')} -- --port 0`
  const shell = spawn('bash', ['-c', script], { cwd: clone, env, detached: true })
  const ended = once(shell, 'close') // also waits for the demo, which drops its database after the shell has ended
  onFileEnd(() => shell.exitCode ?? process.kill(-(shell.pid as number), 'SIGKILL'))
  let words = ''
  shell.stderr.on('data', (chunk) => (words += chunk))
  let ready = ''
  for await (const line of createInterface({ input: shell.stdout })) {
    if (line.startsWith('{')) {
      ready = line
      break
    }
  }
  const paste = /Create a voucher:\n {2}(curl .*)/.exec(words)?.[1] as string
  const { stdout } = await promisify(execFile)('bash', ['-c', `${paste} --silent`])
  shell.stdout.resume()
  process.kill(-(shell.pid as number), 'SIGTERM')
  await ended

  expect(JSON.parse(ready).ready).toBe(true)
  expect(JSON.parse(stdout)).toEqual({
    success: true,
    code: expect.stringMatching(/^\d{10}$/),
    formatted_code: expect.stringMatching(/^\d{5}-\d{5}$/),
    site: 'Hauptgebäude',
    max_uses: 1,
    expire_minutes: 480,
  })
})
