import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { settings } from '#config.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', 'src/config.ts'] }).map(read)
const pages = globSync(['*.md', 'docs/**/*.md', 'deploy/*.md', 'deploy/*.yaml', 'deploy/*.env'], { cwd: root })
const names = Object.values(settings).flatMap((setting) =>
  'secret' in setting ? [setting.env, `${setting.env}_FILE`] : [setting.env],
)

/**
 * Whether a source reads a setting. A name such as `listCacheMiB` counts anywhere except in the declaration of a type. A name of
 * one word, such as `port`, must come from the config: `config.port` or `{ port } = ctx.config`.
 */
function isRead(name: string, source: string): boolean {
  if (/[A-Z]/.test(name)) return new RegExp(`\\b${name}\\b(?!\\??: (?:string|number|boolean|readonly)\\b)`).test(source)
  return new RegExp(`[cC]onfig\\.${name}\\b|\\{[^{}]*\\b${name}\\b[^{}]*\\} = (?:\\w+\\.)*[cC]onfig\\b`).test(source)
}

test('every setting is used', () => {
  const unused = Object.keys(settings).filter((name) => !sources.some((source) => isRead(name, source)))

  expect(unused).toEqual([])
})

test('only src/config.ts reads the environment', () => {
  expect(sources.filter((source) => /process\.env/.test(source))).toEqual([])
})

/** Names in capitals that pages mention and that are not settings of the service. */
const others = [
  /^(PG|POSTGRES_|NODE_|TEST_|PHP_TOOL_|npm_|COMPOSE_|VOUCHER_SERVICE_)/, // other programs, the tests, and the Compose files
  /^(CADDYFILE|CHROMIUM|SCREENSHOTS|SECURITY|CHANGELOG|README|APP_KEY|NAME|NAME_FILE|VERSION|SHA256SUMS)$/,
  /^UNAUTHORIZE_GUEST_ACCESS$/, // an action of UniFi
]

/** The settings that a page names: in backquotes such as `PUBLIC_URL=…`, as `export X=…`, or as `X:` in a compose file. */
function settingsNamedIn(text: string): string[] {
  const found = text.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`|^ {6}([A-Z][A-Z0-9_]{3,}): /gm)
  return [...found].map(([, inText, inCompose]) => inText ?? (inCompose as string))
}

test('every setting that a page names exists', () => {
  const unknown = pages.flatMap((page) =>
    settingsNamedIn(read(page))
      .filter((name) => !names.includes(name) && !others.some((other) => other.test(name)))
      .map((name) => `${page}: ${name}`),
  )

  expect(pages.flatMap((page) => settingsNamedIn(read(page))).length).toBeGreaterThan(60)
  expect([...new Set(unknown)]).toEqual([])
})

test('the checks notice a setting that is not used, or does not exist', () => {
  expect(isRead('port', 'const { port, host } = ctx.config')).toBe(true)
  expect(isRead('port', 'listen(config.port)')).toBe(true)
  expect(isRead('port', 'const { port } = new URL(url)')).toBe(false)
  expect(isRead('redisUrl', 'connect(settings.redisUrl)')).toBe(true)
  expect(isRead('redisUrl', 'type Settings = { redisUrl?: string }')).toBe(false)
  expect(settingsNamedIn('set `PUBLIC_ULR=https://x` and\n      TRUSTED_PROXY: x')).toEqual([
    'PUBLIC_ULR',
    'TRUSTED_PROXY',
  ])
})
