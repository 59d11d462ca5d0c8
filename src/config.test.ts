import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig, replaceSettings, settings } from './config.ts'

const key = `k1:${Buffer.alloc(32, 1).toString('base64')}`
const least = { DATABASE_URL: 'postgres://localhost/vouchers', ENCRYPTION_KEYS: key }

function fileWith(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'settings-')), 'secret')
  writeFileSync(path, text)
  return path
}

test('every optional setting has a default', () => {
  expect(loadConfig(least)).toMatchObject({
    port: 8080,
    listenAddress: '127.0.0.1',
    basePath: '/api',
    databaseUrl: 'postgres://localhost/vouchers',
    timeZone: 'UTC',
    trustedProxies: [],
    webhookAllowCidrs: [],
    webhookRetryScale: 1,
  })
  expect(loadConfig(least).redisUrl).toBeUndefined()
})

test('all problems are reported at once', () => {
  const env = {
    PORT: '99999',
    BASE_PATH: 'api/',
    TZ: 'Mars/Olympus',
    TRUSTED_PROXIES: '10.0.0.0/99',
    LOG_LEVEL: 'loud',
  }

  expect(() => loadConfig(env)).toThrow(
    /PORT[\s\S]*BASE_PATH[\s\S]*TRUSTED_PROXIES[\s\S]*DATABASE_URL is missing[\s\S]*ENCRYPTION_KEYS is missing[\s\S]*TZ[\s\S]*LOG_LEVEL/,
  )
})

test('an address with an unescaped password is rejected with the characters to escape, without the password', () => {
  const load = () => loadConfig({ ...least, DATABASE_URL: 'postgres://vouchers:p#ss/w@127.0.0.1/vouchers' })

  expect(load).toThrow(/DATABASE_URL: is not a valid address\. .* contains #.* write %23/)
  expect(load).not.toThrow('ss/w')
  expect(() => loadConfig({ ...least, DATABASE_URL: 'mysql://localhost' })).toThrow(
    'must be an address that begins with',
  )
})

test('without ENCRYPTION_KEYS, the message says to create a key only for a new installation', () => {
  expect(() => loadConfig({ ...least, ENCRYPTION_KEYS: '' })).toThrow(/the settings of the service.* Only for a new/)
})

test.each([
  ['TRUSTED_PROXIES', '0.0.0.0/0'],
  ['TRUSTED_PROXIES', '10.0.0.0/8/9'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', 'proxy.example'],
  ['WEBHOOK_ALLOW_CIDRS', '0.0.0.0/0'],
  ['WEBHOOK_ALLOW_CIDRS', '192.168.0.0/16,localhost'],
  ['WEBHOOK_RETRY_SCALE', '0'],
  ['WEBHOOK_RETRY_SCALE', '1.1'],
  ['WEBHOOK_RETRY_SCALE', '-1'],
  ['WEBHOOK_RETRY_SCALE', 'fast'],
  ['REDIS_URL', 'redis://localhost/abc'],
  ['REDIS_URL', 'redis://:%zz@localhost'],
])('%s=%s is rejected before anything starts', (name, value) => {
  expect(() => loadConfig({ ...least, [name]: value })).toThrow(`${name}: `)
})

test('without a valid encryption key the settings are rejected', () => {
  expect(() => loadConfig({ ...least, ENCRYPTION_KEYS: '' })).toThrow('ENCRYPTION_KEYS is missing')
  expect(() => loadConfig({ ...least, ENCRYPTION_KEYS: ' , ' })).toThrow('contains no key')
  expect(() => loadConfig({ ...least, ENCRYPTION_KEYS: 'k1:c2hvcnQ=' })).toThrow('32 bytes')
  expect(() => loadConfig({ ...least, ENCRYPTION_KEYS: `${key},${key}` })).toThrow('twice')
})

const otherSecrets: Record<string, string> = {
  DATABASE_DIRECT_URL: 'postgres://localhost:5433/vouchers',
  REDIS_URL: 'redis://localhost',
  SETUP_TOKEN: 'sixteen-letters-',
}
const secrets = Object.values(settings).filter((setting) => 'secret' in setting)

test.each(secrets.map(({ env }) => env))('the secret %s can be set directly or by a file, but not both', (name) => {
  const value = ({ ...least, ...otherSecrets } as Record<string, string>)[name]
  const { [name]: _, ...others }: Record<string, string | undefined> = { ...least, [name]: value }

  expect(loadConfig({ ...others, [`${name}_FILE`]: fileWith(`${value}\n`) })).toEqual(
    loadConfig({ ...others, [name]: value }),
  )
  expect(() => loadConfig({ ...others, [name]: value, [`${name}_FILE`]: fileWith('x') })).toThrow('not both')
  expect(() => loadConfig({ ...others, [`${name}_FILE`]: '/no/such/file' })).toThrow('cannot be read (ENOENT)')
})

test('a message never repeats a secret', () => {
  const env = { DATABASE_URL: 'mysql://root:hunter2@db', REDIS_URL: 'http://:hunter2@r', ENCRYPTION_KEYS: 'hunter2' }

  expect(() => loadConfig(env)).toThrow(/^(?![\s\S]*hunter2)[\s\S]*DATABASE_URL/)
})

test('a replaced setting does not meet its file', () => {
  const env = { SETUP_TOKEN_FILE: '/run/token', DATABASE_DIRECT_URL: 'postgres://elsewhere', LOG_LEVEL: 'warn' }

  expect(replaceSettings(env, { SETUP_TOKEN: 'new' })).toEqual({ SETUP_TOKEN: 'new', LOG_LEVEL: 'warn' })
})

test('docs/settings.md is generated from the settings', async () => {
  const rows = Object.values(settings).map((setting) => {
    const { env, about, fallback, secret, optional } = setting as typeof setting & Record<string, unknown>
    const name = secret ? `\`${env}\` or \`${env}_FILE\`` : `\`${env}\``
    const standard = fallback ? `\`${fallback}\`` : optional || fallback === '' ? 'none' : '**required**'
    return `| ${name} | ${standard} | ${about} |`
  })
  const page = `# Settings

Every setting is an environment variable. A secret can also be read from a file: set \`NAME_FILE\` to its path. You cannot set
both. If a setting is missing or invalid, the process does not start. It reports all problems at once.

| Name | Default | Meaning |
|---|---|---|
${rows.join('\n')}

<!-- This page is generated from src/config.ts. To update it, run \`npx vitest run src/config.test.ts -u\`. -->
`
  await expect(page).toMatchFileSnapshot('../docs/settings.md')
})
