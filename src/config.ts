import { databaseUrl } from '#lib/database-address.ts'
import { nearestName } from '#lib/nearest-name.ts'
import {
  addressRanges,
  basePath,
  cellLetter,
  contactAddress,
  factor,
  hexColor,
  integer,
  keyring,
  lineOfText,
  oidcIssuer,
  oidcScopes,
  oneOf,
  origin,
  ports,
  readSettings,
  redisUrl,
  type Setting,
  SettingsError,
  setupToken,
  text,
  timeZone,
  trueOrFalse,
  type Values,
} from '#lib/settings.ts'
import { mailSecurities } from '#mail/mail.ts'
import { certificateFingerprint, mailSender, mailServerAddress } from '#mail/read-mail-settings.ts'

/** Every setting of the service. `docs/settings.md` is generated from this table. */
export const settings = {
  port: { env: 'PORT', about: 'Port that the api listens on.', parse: integer(0, 65535), fallback: '8080' },
  listenAddress: {
    env: 'LISTEN_ADDRESS',
    about:
      'Address that the api listens on. `0.0.0.0` or `::` opens it to the network: put a proxy with TLS in front of it.',
    parse: text,
    fallback: '127.0.0.1',
  },
  basePath: {
    env: 'BASE_PATH',
    about:
      'Path of API v1: with `/api`, it is available at `/api/vouchers.php`. The web app and API v2 need a host of their own, such as `vouchers.example.com`: a sub-path is not supported.',
    parse: basePath,
    fallback: '/api',
  },
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    about:
      'Addresses or ranges of reverse proxies, separated by commas. Only their `X-Forwarded-*` headers are trusted.',
    parse: addressRanges(
      'every client could then send any address as its own. Write only the addresses of your proxies, e.g. 127.0.0.1',
    ),
    fallback: '',
  },
  publicUrl: {
    env: 'PUBLIC_URL',
    about:
      'Address under which people open the web app, e.g. `https://vouchers.example.com`. By default, the one that the browser uses. Links by e-mail need it.',
    parse: origin,
    optional: true,
  },
  allowHttpSignIn: {
    env: 'ALLOW_HTTP_SIGN_IN',
    about:
      'Set it to `true` to let people sign in without encryption from other machines. Passwords can then be read on the network.',
    parse: trueOrFalse,
    fallback: 'false',
  },
  securityContact: {
    env: 'SECURITY_CONTACT',
    about:
      'Where people report a weakness of this installation, e.g. `security@example.com` or `https://example.com/security`. The api then serves it at `/.well-known/security.txt`.',
    parse: contactAddress,
    optional: true,
  },
  oidcIssuer: {
    env: 'OIDC_ISSUER',
    about:
      'Address of the OpenID Connect provider at which people can sign in, e.g. `https://login.microsoftonline.com/<tenant ID>/v2.0`. It needs `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET` and `PUBLIC_URL`. See [sign-in.md](sign-in.md).',
    parse: oidcIssuer,
    optional: true,
  },
  oidcClientId: {
    env: 'OIDC_CLIENT_ID',
    about: 'ID of this service at the provider.',
    parse: lineOfText(500),
    optional: true,
  },
  oidcClientSecret: {
    env: 'OIDC_CLIENT_SECRET',
    about: 'Secret of this service at the provider.',
    parse: text,
    optional: true,
    secret: true,
  },
  oidcName: {
    env: 'OIDC_NAME',
    about:
      'Name of the provider on the sign-in page. By default `Entra ID` or `Google` for these two, otherwise the host of `OIDC_ISSUER`.',
    parse: lineOfText(60),
    optional: true,
  },
  oidcScopes: {
    env: 'OIDC_SCOPES',
    about: 'Scopes that the service asks for, separated by spaces.',
    parse: oidcScopes,
    fallback: 'openid profile email',
  },
  oidcHostedDomain: {
    env: 'OIDC_HOSTED_DOMAIN',
    about:
      'For Google only: the domain of your organisation, e.g. `example.com`. Accounts of other domains are rejected.',
    parse: lineOfText(253),
    optional: true,
  },
  houseName: {
    env: 'HOUSE_NAME',
    about:
      'Name of your house, which the web app and the slips show. If it is set, administrators cannot change the name in the web app.',
    parse: lineOfText(60),
    optional: true,
  },
  accentColor: {
    env: 'ACCENT_COLOR',
    about:
      'Colour of buttons and links in the web app, e.g. `#7a1f2b`. The service makes it darker or lighter where it could not be read. If it is set, administrators cannot change the colour in the web app.',
    parse: hexColor,
    optional: true,
  },
  mailServer: {
    env: 'MAIL_SERVER',
    about:
      'Mail server with its port, e.g. `smtp.example.com:587`. If it is set, the other `MAIL_` settings describe it too, and administrators cannot change it in the web app. See [e-mail.md](e-mail.md).',
    parse: mailServerAddress,
    optional: true,
  },
  mailSecurity: {
    env: 'MAIL_SECURITY',
    about:
      'Encryption of the connection to the mail server: `starttls` (required), `tls` from the start, or `none`, which works only for private addresses without a password.',
    parse: oneOf(...mailSecurities),
    fallback: 'starttls',
  },
  mailUsername: {
    env: 'MAIL_USERNAME',
    about: 'User name at the mail server, if it asks for one. It needs `MAIL_PASSWORD`.',
    parse: lineOfText(254),
    optional: true,
  },
  mailPassword: {
    env: 'MAIL_PASSWORD',
    about: 'Password at the mail server.',
    parse: text,
    optional: true,
    secret: true,
  },
  mailCertificatePin: {
    env: 'MAIL_CERTIFICATE_PIN',
    about:
      'SHA-256 of the certificate of the mail server, if no authority has signed it. Only this certificate is then accepted.',
    parse: certificateFingerprint,
    optional: true,
  },
  mailFrom: {
    env: 'MAIL_FROM',
    about:
      'Sender of messages, for all sites without a sender of their own, e.g. `Guest Wi-Fi <wlan@example.com>`. If it is set, administrators cannot change it in the web app.',
    parse: mailSender,
    optional: true,
  },
  setupToken: {
    env: 'SETUP_TOKEN',
    about:
      'Token that creates the first administrator, at least 16 characters. By default, the log shows a random one until there is an administrator.',
    parse: setupToken,
    optional: true,
    secret: true,
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    about:
      'Address of a PostgreSQL 15 or newer, e.g. `postgres://user:password@host/vouchers?sslmode=verify-full`. Of several hosts, as in `host1,host2`, the service uses the one that accepts writes. See [operating.md](operating.md#addresses-of-postgresql).',
    parse: databaseUrl,
    whenMissing: 'Set it to the address of your PostgreSQL, e.g. postgres://user:password@host/vouchers',
    secret: true,
  },
  databaseDirectUrl: {
    env: 'DATABASE_DIRECT_URL',
    about:
      'Direct address of the same database, if `DATABASE_URL` goes through PgBouncer. Jobs and migrations use it. See [scaling.md](scaling.md#pgbouncer).',
    parse: databaseUrl,
    secret: true,
    optional: true,
  },
  databasePreparedStatements: {
    env: 'DATABASE_PREPARED_STATEMENTS',
    about:
      'Set it to `false` if `DATABASE_URL` goes through a PgBouncer that is older than 1.21. PostgreSQL then plans every statement again.',
    parse: trueOrFalse,
    fallback: 'true',
  },
  databasePoolSize: {
    env: 'DATABASE_POOL_SIZE',
    about: 'Largest number of connections to PostgreSQL that a process opens for its work.',
    parse: integer(2, 500),
    fallback: '10',
  },
  serviceRole: {
    env: 'SERVICE_ROLE',
    about:
      'For `migrate` and `restore` only: the role of PostgreSQL with which the service runs, if that is not the owner of the tables. They give this role the rights that the service needs; it cannot change the audit. See [install.md](install.md#a-role-that-cannot-change-the-audit).',
    parse: lineOfText(63),
    optional: true,
  },
  redisUrl: {
    env: 'REDIS_URL',
    about: 'Address of a Redis or Valkey that counts requests for the rate limit. Without it, PostgreSQL counts them.',
    parse: redisUrl,
    secret: true,
    optional: true,
  },
  redisPrefix: {
    env: 'REDIS_PREFIX',
    about: 'Prefix of every Redis key of this service.',
    parse: text,
    fallback: 'voucher-service:',
  },
  encryptionKeys: {
    env: 'ENCRYPTION_KEYS',
    about:
      'Keys for stored secrets, as `id:base64`, separated by commas. The first one encrypts; all of them decrypt. Create one with `voucher-service secrets generate`.',
    parse: keyring,
    whenMissing:
      'Run every command with the settings of the service, so that it has the same key. Only for a new installation, create a key with `voucher-service secrets generate`',
    secret: true,
  },
  webhookAllowCidrs: {
    env: 'WEBHOOK_ALLOW_CIDRS',
    about:
      'Addresses or ranges on your own network, separated by commas, to which webhooks may be sent too, by https or http.',
    parse: addressRanges(
      'webhooks could then be sent to every machine. Write only the addresses of your receivers, e.g. 10.0.0.7',
    ),
    fallback: '',
  },
  protectedPorts: {
    env: 'PROTECTED_PORTS',
    about:
      'Ports on this machine, separated by commas, that the service never calls as a webhook or a controller. A process adds its own ports, and those of its PostgreSQL and Redis. Name the ports of other processes of the service here.',
    parse: ports,
    fallback: '',
  },
  webhookRetryScale: {
    env: 'WEBHOOK_RETRY_SCALE',
    about: 'For tests only. Factor for the pauses between the attempts of a delivery or a message.',
    parse: factor,
    fallback: '1',
  },
  cell: {
    env: 'CELL',
    about:
      'For several cells behind a router only: the letter of this cell, `A` to `Z`, which new API keys contain. See [scaling.md](scaling.md).',
    parse: cellLetter,
    optional: true,
  },
  firstSiteNumber: {
    env: 'FIRST_SITE_NUMBER',
    about:
      'For several cells only: the lowest number that a site can have. `migrate` and `start` apply it, and fail if a site has a lower number.',
    parse: integer(1, 2_147_483_647),
    fallback: '1',
  },
  lastSiteNumber: {
    env: 'LAST_SITE_NUMBER',
    about:
      'For several cells only: the highest number that a new site can get, so that no two cells use the same number. `migrate` and `start` apply it. If it is not set, the limit that was applied last stays in force.',
    parse: integer(1, 2_147_483_647),
    optional: true,
  },
  timeZone: {
    env: 'TZ',
    about: 'Time zone for the date in voucher names and for daily counts.',
    parse: timeZone,
    fallback: 'UTC',
  },
  listCacheMiB: {
    env: 'LIST_CACHE_MIB',
    about: 'Memory that a process uses for rendered voucher lists, in MiB.',
    parse: integer(1, 65536),
    fallback: '64',
  },
  settleSeconds: {
    env: 'SETTLE_SECONDS',
    about:
      'How long the worker looks on the controller for a voucher whose creation has an unknown outcome, in seconds.',
    parse: integer(5, 3600),
    fallback: '120',
  },
  retainVouchersDays: {
    env: 'RETAIN_VOUCHERS_DAYS',
    about:
      'How many days vouchers are kept after their end, with their batches and revocations. By default, they are kept for ever. See [operating.md](operating.md#how-long-data-is-kept).',
    parse: integer(30, 36_500),
    optional: true,
  },
  retainAuditDays: {
    env: 'RETAIN_AUDIT_DAYS',
    about:
      'How many days the audit is kept. By default, it is kept for ever. `migrate` applies it, and so does `start` if it migrates.',
    parse: integer(30, 36_500),
    optional: true,
  },
  metricsPort: {
    env: 'METRICS_PORT',
    about:
      'Port of `/metrics` for Prometheus, in every api and worker process. Without it, there are no metrics. See [watching.md](watching.md).',
    parse: integer(0, 65535),
    optional: true,
  },
  metricsAddress: {
    env: 'METRICS_ADDRESS',
    about:
      'Address that `/metrics` listens on. It has no authentication: open it only to a network that your Prometheus uses.',
    parse: text,
    fallback: '127.0.0.1',
  },
  drainSeconds: {
    env: 'DRAIN_SECONDS',
    about:
      'How long a stopping api continues to accept requests, in seconds. During this time, `/readyz` tells a proxy that the api stops.',
    parse: integer(0, 60),
    fallback: '3',
  },
  shutdownSeconds: {
    env: 'SHUTDOWN_SECONDS',
    about:
      'How long a stopping process may take after DRAIN_SECONDS, in seconds. Requests under way get at most 15 seconds of it.',
    parse: integer(1, 600),
    fallback: '20',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    about: 'Lowest level of log lines: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    parse: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    fallback: 'info',
  },
} as const satisfies Record<string, Setting>

export type Config = Values<typeof settings>

/** The environment of this process. Only this file reads it. */
export const environment: NodeJS.ProcessEnv = process.env

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const config = readSettings(settings, env)
  const problems = [...listProviderProblems(config), ...listMailProblems(config)]
  if (problems.length > 0) throw new SettingsError(problems)
  return config
}

/** The provider needs all of its settings, or none of them is set. */
function listProviderProblems(config: Config): string[] {
  const needed = [settings.oidcIssuer, settings.oidcClientId, settings.oidcClientSecret, settings.publicUrl]
  const values = [config.oidcIssuer, config.oidcClientId, config.oidcClientSecret, config.publicUrl]
  if (values.slice(0, 3).every((value) => value === undefined)) return []
  const missing = needed.filter((_, index) => values[index] === undefined).map(({ env }) => env)
  return missing.map(
    (name) => `${name} is missing. Sign-in by a provider needs ${needed.map(({ env }) => env).join(', ')}`,
  )
}

function listMailProblems(config: Config): string[] {
  const { mailServer, mailSecurity, mailUsername, mailPassword, mailCertificatePin } = config
  const [given] = [mailUsername && 'MAIL_USERNAME', mailPassword && 'MAIL_PASSWORD'].filter((name) => name)
  if (mailServer === undefined) {
    const unused = given ?? (mailCertificatePin && 'MAIL_CERTIFICATE_PIN')
    return unused ? [`MAIL_SERVER is missing. ${unused} is used only for a mail server of the environment`] : []
  }
  if ((mailUsername === undefined) !== (mailPassword === undefined))
    return [`${mailUsername ? 'MAIL_PASSWORD' : 'MAIL_USERNAME'} is missing. ${given} needs it`]
  if (mailSecurity === 'none' && given)
    return [`MAIL_SECURITY: none sends no password. Use starttls or tls, or remove ${given}`]
  return []
}

/** Names of settings shorter than this, such as PORT, resemble too many other variables. */
const shortestMisspelt = 8
/** Every container has it, and it resembles HOUSE_NAME. */
const setBySystems = ['HOSTNAME']

/** Variables that are no settings but resemble one, such as RETAIN_VOUCHER_DAYS. They have no effect. */
export function listMisspelt(env: NodeJS.ProcessEnv): { name: string; meant: string }[] {
  const known = Object.values<Setting>(settings).flatMap(({ env: name, secret }) =>
    secret ? [name, `${name}_FILE`] : [name],
  )
  const candidates = known.filter((name) => name.length >= shortestMisspelt)
  return Object.keys(env)
    .filter((name) => name.length >= shortestMisspelt && ![...known, ...setBySystems].includes(name))
    .flatMap((name) => {
      const meant = nearestName(name, candidates)
      return meant === undefined ? [] : [{ name, meant }]
    })
}

const localPostgres = 'postgres://postgres@127.0.0.1:5432/postgres'

/** The PostgreSQL where the demo and `npm run dev` make their own databases. */
export function loadDatabaseServer(env: NodeJS.ProcessEnv): string {
  return readSettings({ url: { ...settings.databaseUrl, fallback: localPostgres } }, env).url
}

/** The environment with some settings replaced, for the demo and for development. */
export function replaceSettings(env: NodeJS.ProcessEnv, replaced: Record<string, string>): NodeJS.ProcessEnv {
  const files = Object.keys(replaced).map((name) => `${name}_FILE`)
  const dropped = ['DATABASE_DIRECT_URL', 'DATABASE_DIRECT_URL_FILE', ...files]
  const kept = Object.entries(env).filter(([name]) => !dropped.includes(name))
  return { ...Object.fromEntries(kept), ...replaced }
}
