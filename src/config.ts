import {
  addressRanges,
  basePath,
  factor,
  integer,
  keyring,
  oneOf,
  redisUrl,
  text,
  timeZone,
  url,
} from '#lib/setting-parsers.ts'
import { readSettings, type Setting, type Values } from '#lib/settings.ts'

/** Every setting of the service. `docs/settings.md` is made from this table. */
export const settings = {
  port: { env: 'PORT', about: 'Port that the api listens on.', parse: integer(0, 65535), fallback: '8080' },
  listenAddress: {
    env: 'LISTEN_ADDRESS',
    about: 'Address that the api listens on. `0.0.0.0` or `::` opens it to the network: put TLS in front of it.',
    parse: text,
    fallback: '127.0.0.1',
  },
  basePath: {
    env: 'BASE_PATH',
    about: 'Directory of API v1: `/api` serves `/api/vouchers.php`.',
    parse: basePath,
    fallback: '/api',
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    about: 'Addresses or ranges of reverse proxies, separated by commas, whose `X-Forwarded-*` headers are believed.',
    parse: addressRanges,
    fallback: '',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    about: 'PostgreSQL 15 or newer, e.g. `postgres://user:password@host/vouchers`.',
    parse: url('postgres', 'postgresql'),
    secret: true,
  },
  databasePoolSize: {
    env: 'DATABASE_POOL_SIZE',
    about: 'Connections to PostgreSQL per process.',
    parse: integer(2, 500),
    fallback: '10',
  },
  redisUrl: {
    env: 'REDIS_URL',
    about: 'Redis or Valkey for the rate limit. Without it PostgreSQL counts.',
    parse: redisUrl,
    secret: true,
    optional: true,
  },
  redisPrefix: {
    env: 'REDIS_PREFIX',
    about: 'Begins the name of every Redis key of this service.',
    parse: text,
    fallback: 'voucher-service:',
  },
  encryptionKeys: {
    env: 'ENCRYPTION_KEYS',
    about: 'Keys for the secrets at rest, as `id:base64` separated by commas. The first seals, all of them open.',
    parse: keyring,
    secret: true,
  },
  webhookAllowCidrs: {
    env: 'WEBHOOK_ALLOW_CIDRS',
    about:
      'Addresses or ranges outside the public internet, separated by commas, that webhooks may lead to as well, by http too.',
    parse: addressRanges,
    fallback: '',
  },
  webhookRetryScale: {
    env: 'WEBHOOK_RETRY_SCALE',
    about: 'For tests only: the pauses between the attempts of a delivery are multiplied by it.',
    parse: factor,
    fallback: '1',
  },
  timeZone: {
    env: 'TZ',
    about: 'Time zone of the server: the date in voucher names and the day of counts.',
    parse: timeZone,
    fallback: 'UTC',
  },
  listCacheMiB: {
    env: 'LIST_CACHE_MIB',
    about: 'Memory per process for rendered voucher lists, in MiB.',
    parse: integer(1, 65536),
    fallback: '64',
  },
  settleSeconds: {
    env: 'SETTLE_SECONDS',
    about: 'How long a voucher whose creation got no clear answer is looked for on its controller.',
    parse: integer(5, 3600),
    fallback: '120',
  },
  drainSeconds: {
    env: 'DRAIN_SECONDS',
    about: 'How long a stopping api still takes requests, so that a proxy in front can notice by `/readyz`.',
    parse: integer(0, 60),
    fallback: '1',
  },
  shutdownSeconds: {
    env: 'SHUTDOWN_SECONDS',
    about: 'How long a stopping process waits for requests under way.',
    parse: integer(1, 600),
    fallback: '20',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    about: 'Least level of log lines.',
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    fallback: 'info',
  },
} as const satisfies Record<string, Setting>

export type Config = Values<typeof settings>

/** The only reader of the environment. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return readSettings(settings, env)
}

const localPostgres = 'postgres://postgres@127.0.0.1:5432/postgres'

/** The PostgreSQL where the demo makes its own database. */
export function loadDemoServer(env: NodeJS.ProcessEnv = process.env): string {
  return readSettings({ url: { ...settings.databaseUrl, fallback: localPostgres } }, env).url
}

/** The environment, with some of its values replaced. */
export function loadConfigWith(replaced: Record<string, string>): Config {
  const { DATABASE_URL_FILE: _, ENCRYPTION_KEYS_FILE: __, ...env } = process.env
  return loadConfig({ ...env, ...replaced })
}
