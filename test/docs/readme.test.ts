import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'
import { serverUrl } from '#test/template-database.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const commands = (
  /## Three commands[\s\S]*?```sh\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''
)
  .trim()
  .split('\n')
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DATABASE_URL: serverUrl, ...certificates() }

/** What this machine needs to reach the npm registry. */
function certificates(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(NODE_EXTRA_CA_CERTS|npm_config_.*|https?_proxy)$/i.test(name)),
  ) as Record<string, string>
}

test('from a clean clone, the three commands of README and the line they print make the first voucher', async () => {
  const clone = mkdtempSync(join(tmpdir(), 'readme-'))
  onFileEnd(() => rmSync(clone, { recursive: true }))
  await promisify(execFile)('git', ['clone', '--quiet', root, clone])
  expect(commands.map((command) => command.split(/ {2,}#/)[0])).toEqual(['. .ci/node', 'npm ci', 'npm run demo'])

  // The port is the only thing changed: 8080 may be taken on this machine.
  const shell = spawn('bash', ['-c', `set -e\n${commands.join('\n')} -- --port 0`], { cwd: clone, env, detached: true })
  const ended = once(shell, 'close') // the shell goes first; the demo still has its database to drop
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
}, 120_000)
