import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig, replaceSettings, settings } from './config.ts'

const key = `k1:${Buffer.alloc(32, 1).toString('base64')}`
const least = { DATABASE_URL: 'postgres://localhost/vouchers', ENCRYPTION_KEYS: key }

const oidc = {
  OIDC_ISSUER: 'https://login.example.com/realms/house',
  OIDC_CLIENT_ID: 'vouchers',
  OIDC_CLIENT_SECRET: 'secret',
  PUBLIC_URL: 'https://vouchers.example.com',
}

const mail = { MAIL_SERVER: 'smtp.example.com:587', MAIL_USERNAME: 'voucher', MAIL_PASSWORD: 'secret & co' }

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
    databaseUrl: `postgres://${userInfo().username}@localhost:5432/vouchers?sslmode=disable`,
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

const password =
  'is not a valid address. If the user name or password contains @, /, ?, # or %, write %40, %2F, %3F, %23 or %25 instead'

test.each([
  ['postgres://u@a,b/db?port=5432,5433,5434', 'has 2 hosts and 3 ports. Write one port, or one for each host'],
  ['postgres://u@a/db?port=5432,5433', 'has 1 hosts and 2 ports'],
  ['postgres://u@a,,b/db', 'has a host that is not valid'],
  ['postgres://u@a,b:5432,a/db', 'names a host twice. Remove one of them'],
  ['postgres://u@/db?host=a,/run/postgresql', 'has both a socket and a host of the network'],
  [
    'postgres://u@a/db?target_session_attrs=read-write',
    'The parameter target_session_attrs is not supported. Remove it',
  ],
  ['postgres://u@a/db?sslmod=verify-full', 'The parameter sslmod does not exist. Did you mean sslmode?'],
  ['postgres://u@a/db?conect_timeout=5', 'The parameter conect_timeout does not exist. Did you mean connect_timeout?'],
  ['postgres://u@a/db?colour=red', 'The parameter number 1 after the ? does not exist. Remove it'],
  ['postgres://u@a/db?application_name=x', 'The parameter application_name is not supported. Remove it'],
  ['postgres://u@a/db?connect_timeout=5', 'The parameter connect_timeout is not supported. Remove it'],
  ['postgres://u@a/db?statement_timeout=0', 'The parameter statement_timeout is not supported. Remove it'],
  ['postgres://u@a/db?keepalives=0', 'The parameter keepalives is not supported. Remove it'],
  ['postgres://u@a/db?hostaddr=10.0.0.1', 'The parameter hostaddr is not supported. Remove it'],
  ['postgres://u@a/db?pgbouncer=true', 'The parameter pgbouncer is not supported. Remove it, and see docs/scaling.md'],
  [
    'postgres://u@a/db?uselibpqcompat=true&sslmode=require',
    'The parameter uselibpqcompat is not supported. Write sslmode=',
  ],
  ['postgres://u@a/db?ssl=true', 'The parameter ssl is not supported. Write sslmode=verify-full'],
  ['postgres://u@a/db?sslmode=prefer', 'sslmode must be one of disable, no-verify, verify-ca, verify-full, require'],
  ['postgres://u@a/db?sslmode=allow', 'sslmode must be one of'],
  ['postgres://u@a/db?sslmode=verfy-full', 'sslmode must be one of'],
  ['postgres://u@a/db?sslmode=verify-ca', 'sslmode=verify-ca needs sslrootcert'],
  ['postgres://u@a/db?sslmode=disable&sslrootcert=/ca.crt', 'sslmode=disable does not use sslrootcert'],
  ['postgres://u@a/db?sslmode=no-verify&sslrootcert=/ca.crt', 'sslmode=no-verify does not use sslrootcert'],
  ['postgres://u@a/db?sslmode=verify-full&sslrootcert=/no/ca.crt', 'sslrootcert: /no/ca.crt cannot be read (ENOENT)'],
  ['postgres://u@a/db?sslcert=/no/u.crt&sslkey=/no/u.key', 'sslcert: /no/u.crt cannot be read (ENOENT)'],
  ['postgres://u@a/db?sslcert=/no/u.crt', 'sslcert needs sslkey'],
  ['postgres://u@a/db?sslnegotiation=fast', 'sslnegotiation must be one of postgres, direct'],
  [
    'postgres:///db?host=/run/postgresql&sslmode=verify-full',
    'A connection through a socket has no TLS. Remove sslmode',
  ],
  ['postgres://u@a/db?sslmode=disable&sslmode=verify-full', 'The parameter sslmode occurs twice'],
  ['postgres://u@a/db?sslmode=', 'The parameter sslmode has no value'],
  ['postgres://u@a/db?sslmode', 'The parameter sslmode has no value'],
  ['host=localhost dbname=db', 'has the form key=value. Write it as postgres://user:password@host:5432/database'],
  ['/run/postgresql db', 'is the path of a socket. Write it as postgres:///database?host=/run/postgresql'],
  ['socket:/run/postgresql?db=db', 'is the path of a socket. Write it as postgres:///database?host=/run/postgresql'],
  ['mysql://u@localhost/db', 'must be an address that begins with postgres:// or postgresql://'],
  ['jdbc:postgresql://localhost/db', 'must be an address that begins with postgres:// or postgresql://'],
  ['postgres://u:hunter@2@a/db', password],
  ['postgres://u:hunter/2@a/db', password],
  ['postgres://u:12/hunter2@a/db', password],
  ['postgres://u:hunter?2@a/db', password],
  ['postgres://u:hunter#2@a/db', password],
  ['postgres://u:hunter%2@a/db', password],
  ['postgres://u:hunter%zz2@a/db', password],
  ['postgres://u@a:70000/db', 'has a port that is not a number from 1 to 65535'],
  ['postgres://u@a:0/db', 'has a port that is not a number from 1 to 65535'],
  ['postgres://u@a:54x2/db', 'has a port that is not a number from 1 to 65535'],
  ['postgres://u@a/db?port=54x2', 'has a port that is not a number from 1 to 65535'],
  ['postgres://u@::1/db', 'has an IPv6 address without brackets. Write it as [::1]'],
  ['postgres://u@[::g]/db', 'has a host that is not valid'],
  ['postgres://u@a b/db', 'has a host that is not valid'],
])('the database address %s is rejected', (address, sentence) => {
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL']) {
    const load = () => loadConfig({ ...least, [name]: address })

    expect(load).toThrow(`  - ${name}: ${sentence}`)
    expect(load).not.toThrow('hunter')
  }
})

test('without ENCRYPTION_KEYS, the message says to create a key only for a new installation', () => {
  expect(() => loadConfig({ ...least, ENCRYPTION_KEYS: '' })).toThrow(/the settings of the service.* Only for a new/)
})

test.each([
  ['TRUSTED_PROXIES', '0.0.0.0/0'],
  ['TRUSTED_PROXIES', '10.0.0.0/8/9'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', 'proxy.example'],
  ['PROTECTED_PORTS', '8080,65536'],
  ['PROTECTED_PORTS', 'http'],
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

test.each([
  ['TRUSTED_PROXIES', '0.0.0.0/0', 'every client could then send any address as its own'],
  ['TRUSTED_PROXIES', '127.0.0.1,::/0', 'every client could then send any address as its own'],
  ['WEBHOOK_ALLOW_CIDRS', '0.0.0.0/0', 'webhooks could then be sent to every machine'],
  ['WEBHOOK_ALLOW_CIDRS', '0:0::/00', 'webhooks could then be sent to every machine'],
])('%s=%s is forbidden, and the message says why', (name, value, reason) => {
  const range = value.split(',').at(-1)
  expect(() => loadConfig({ ...least, [name]: value })).toThrow(`${name}: "${range}" is forbidden, because ${reason}`)
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
  OIDC_CLIENT_SECRET: oidc.OIDC_CLIENT_SECRET,
  MAIL_PASSWORD: mail.MAIL_PASSWORD,
}
const secrets = Object.values(settings).filter((setting) => 'secret' in setting)

test.each(secrets.map(({ env }) => env))('the secret %s can be set directly or by a file, but not both', (name) => {
  const value = ({ ...least, ...otherSecrets } as Record<string, string>)[name]
  const { [name]: _, ...others }: Record<string, string | undefined> = { ...least, ...oidc, ...mail, [name]: value }

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

test('a setting that is replaced also replaces the setting that names its file', () => {
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
both. \`voucher-service --settings <file>\` reads settings from a file with lines \`NAME=value\` (of several files, the last one
wins); they replace those of the environment. If a setting is missing or invalid, the process does not start. It reports all problems at once.

| Name | Default | Meaning |
|---|---|---|
${rows.join('\n')}

<!-- This page is generated from src/config.ts. To update it, run \`npx vitest run src/config.test.ts -u\`. -->
`
  await expect(page).toMatchFileSnapshot('../docs/settings.md')
})

test('a mail server of the environment is complete and sends no password without encryption', () => {
  const problemOf = (env: object) => () => loadConfig({ ...least, ...env })

  expect(
    loadConfig({ ...least, ...mail, MAIL_SERVER: '[fd00::7]:25', MAIL_FROM: 'Wi-Fi <w@x.example>' }),
  ).toMatchObject({
    mailServer: { host: 'fd00::7', port: 25 },
    mailSecurity: 'starttls',
    mailFrom: { name: 'Wi-Fi', address: 'w@x.example', replyTo: null },
  })
  expect(loadConfig({ ...least, MAIL_SERVER: 'Smtp.example.com', MAIL_FROM: 'w@x.example' })).toMatchObject({
    mailServer: { host: 'smtp.example.com', port: undefined },
    mailFrom: { name: '', address: 'w@x.example' },
  })
  expect(problemOf({ ...mail, MAIL_SERVER: '' })).toThrow('MAIL_SERVER is missing. MAIL_USERNAME')
  expect(problemOf({ MAIL_CERTIFICATE_PIN: 'ab'.repeat(32) })).toThrow('MAIL_SERVER is missing. MAIL_CERTIFICATE_PIN')
  expect(problemOf({ ...mail, MAIL_PASSWORD: '' })).toThrow('MAIL_PASSWORD is missing. MAIL_USERNAME needs it')
  expect(problemOf({ ...mail, MAIL_USERNAME: '' })).toThrow('MAIL_USERNAME is missing. MAIL_PASSWORD needs it')
  expect(problemOf({ ...mail, MAIL_SECURITY: 'none' })).toThrow('MAIL_SECURITY: none sends no password')
})

test.each([
  ['MAIL_SERVER', 'https://smtp.example.com'],
  ['MAIL_SERVER', 'smtp.example.com:0'],
  ['MAIL_SERVER', 'smtp.example.com:65536'],
  ['MAIL_SERVER', 'a b'],
  ['MAIL_SERVER', '127.1:25'],
  ['MAIL_FROM', 'Wi-Fi'],
  ['MAIL_FROM', 'a@x.example, b@x.example'],
  ['MAIL_CERTIFICATE_PIN', 'ab'],
])('%s %s is rejected', (name, value) => {
  expect(() => loadConfig({ ...least, [name]: value })).toThrow(`${name}: must be`)
})

test('a provider needs all of its settings', () => {
  expect(loadConfig({ ...least, ...oidc })).toMatchObject({
    oidcIssuer: oidc.OIDC_ISSUER,
    oidcScopes: 'openid profile email',
  })
  for (const name of Object.keys(oidc))
    expect(() => loadConfig({ ...least, ...oidc, [name]: '' })).toThrow(
      `${name} is missing. Sign-in by a provider needs`,
    )
  expect(loadConfig({ ...least, PUBLIC_URL: oidc.PUBLIC_URL }).oidcIssuer).toBeUndefined()
})

test.each([
  ['http://login.example.com', 'must begin with https://'],
  ['http://127.0.0.1.evil.example', 'must begin with https://'],
  ['ftp://login.example.com', 'must be an address'],
  ['https://user:password@login.example.com', 'must have no user name'],
  ['https://login.example.com?x=1', 'must have no user name, no ? and no #'],
  ['https://login.microsoftonline.com/common/v2.0', 'must name your tenant'],
  ['https://login.microsoftonline.com/organizations/v2.0', 'must name your tenant'],
  ['https://login.microsoftonline.com/consumers/v2.0', 'must name your tenant'],
  ['https://login.microsoftonline.com/adler.example/v2.0', 'must name your tenant'],
  ['https://login.microsoftonline.com/8f2c71d0-5b19-4e4a-9d1b-2f6f3c0a7b11', 'must name your tenant'],
])('the issuer %s is rejected', (issuer, problem) => {
  expect(() => loadConfig({ ...least, ...oidc, OIDC_ISSUER: issuer })).toThrow(problem)
})

test.each([
  'https://login.microsoftonline.com/8f2c71d0-5b19-4e4a-9d1b-2f6f3c0a7b11/v2.0',
  'https://accounts.google.com',
  'http://127.0.0.1:9000',
  'http://localhost:9000/realms/house',
])('the issuer %s is accepted', (issuer) => {
  expect(loadConfig({ ...least, ...oidc, OIDC_ISSUER: issuer }).oidcIssuer).toBe(issuer)
})

test.each(['profile email', '"openid"', 'openid pro"file'])('the scopes %j are rejected', (scopes) => {
  expect(() => loadConfig({ ...least, ...oidc, OIDC_SCOPES: scopes })).toThrow('with openid among them')
})
