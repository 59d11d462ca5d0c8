import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { shellBlocksOf } from './shell-blocks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

/** The test that runs the commands of a page. */
const tests: Record<string, string> = {
  'README.md': 'test/docs/readme.test.ts',
  'docs/api-v1.md': 'test/docs/api-v1.test.ts',
  'docs/api-v2.md': 'test/docs/api-v2.test.ts',
  'docs/backups.md': 'test/docs/backups.process.test.ts',
  'docs/get-started.md': 'test/release/get-started.process.test.ts',
  'docs/move-in.md': 'test/docs/move-in.process.test.ts',
  'docs/operating.md': 'test/docs/operating.process.test.ts',
  'docs/watching.md': 'test/watching/doctor.test.ts',
}

/** Blocks that no test runs, by the start of their first command, and why. */
const notRun: { starts: RegExp; why: string }[] = [
  {
    starts: /^(docker|mv example\.env|mkdir -p backups\ndocker)/,
    why: 'needs a container engine',
  },
  {
    starts: /^(sudo|sha256sum|password=|vouchers(_owner)?\(\)) ?/,
    why: 'needs systemd; get-started.md has most of these commands, too',
  },
  { starts: /^cosign verify/, why: 'needs a published release' },
  {
    starts: /^voucher-service controllers (fingerprint|add)/,
    why: 'needs a real controller; commands.test.ts checks its options',
  },
  { starts: /^printf %s "\$KEY" \| sha256sum/, why: 'has a placeholder; src/commands tests import keys' },
  { starts: /^(npm run bench|node bench|npx vitest|\. \.ci\/node)/, why: 'is for developers' },
  {
    starts: /^(bin\/voucher-service\.js simulator|curl \$URL\/control)/,
    why: 'simulator tests start it and use these paths',
  },
]

/** The German page has the same commands as the English one, which guides.test.ts checks. */
const isTranslation = (page: string) => page.startsWith('docs/de/')

test('every block of commands is run by a test, or listed as not run with a reason', () => {
  const blocks = pages.flatMap((page) =>
    shellBlocksOf(readFileSync(join(root, page), 'utf8')).map((block) => ({ page, block })),
  )
  const open = blocks.filter(
    ({ page, block }) =>
      !isTranslation(page) &&
      !(page in tests) &&
      !notRun.some(({ starts }) => starts.test(block.replace(/^(#.*\n)+/, ''))),
  )

  expect(blocks.length).toBeGreaterThan(60)
  expect(open).toEqual([])
})

test.each(Object.entries(tests))('%s is read by %s', (page, path) => {
  expect(existsSync(join(root, path))).toBe(true)
  expect(readFileSync(join(root, path), 'utf8')).toContain(basename(page))
})

test('blocks in lists lose their indentation', () => {
  expect(shellBlocksOf('1. Run\n\n   ```sh\n   one\n     two\n   ```\n')).toEqual(['one\n  two\n'])
})
