import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { userInfo } from 'node:os'
import { type ConnectionOptions, createSecureContext } from 'node:tls'
import type { ClientConfig } from 'pg'
import { nearestName } from './nearest-name.ts'

/** `host` is a name, an IP address, or the folder of a socket. */
export type DatabaseHost = { host: string; port: number }

/** Everything that a client needs to connect to a PostgreSQL. Nothing is left to the defaults of a client. */
export type DatabaseAddress = {
  /** Usually one. Of several hosts, the service uses the one that accepts writes. */
  hosts: readonly [DatabaseHost, ...DatabaseHost[]]
  user: string
  password: string | undefined
  database: string
  tls: DatabaseTls | undefined
  /** Settings of PostgreSQL for each session, as `-c name=value`. */
  options: string | undefined
}

/**
 * `verify-full` checks the authority and the host name of the certificate, `verify-ca` only the authority, and `no-verify`
 * nothing. The others are paths of files. Without `sslrootcert`, or with `system`, the authorities of Node are trusted.
 */
export type DatabaseTls = {
  sslmode: 'verify-full' | 'verify-ca' | 'no-verify'
  sslrootcert: string | undefined
  sslcert: string | undefined
  sslkey: string | undefined
  sslnegotiation: 'direct' | undefined
}

/**
 * Parses an address as `psql` accepts it. Parts that it lacks come from the variables of PostgreSQL. A form or a parameter that
 * would have no effect is rejected. The messages repeat no part that may be a password.
 */
export function parseDatabaseAddress(text: string, env: NodeJS.ProcessEnv = {}): DatabaseAddress {
  const { authority, path, query } = splitAddress(text.trim())
  const [credentials, hostAndPort = ''] = authority.includes('@') ? authority.split('@') : ['', authority]
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(credentials as string) ?? []
  const given = { ...splitHosts(hostAndPort), user: decode(user), password: decode(password), dbname: decode(path) }
  const values: Values = { ...withoutEmpty(given), ...parseQuery(query) }
  const valueFor = (name: Name) => values[name] ?? (env[variables[name]] || undefined)
  const hosts = readHosts(valueFor('host') ?? 'localhost', valueFor('port') ?? '')
  const role = valueFor('user') ?? accountName()
  return {
    hosts,
    user: role,
    password: valueFor('password'),
    database: valueFor('dbname') ?? role,
    tls: areSockets(hosts) ? rejectTls(values) : readTls(values, env),
    options: values.options,
  }
}

/** Writes an address with every part in its place: the result means the same without the variables of PostgreSQL. */
function formatDatabaseAddress({ hosts, user, password, database, tls, options }: DatabaseAddress): string {
  const credentials = [user, ...(password === undefined ? [] : [password])].map(encodeURIComponent).join(':')
  const places = hosts.map(({ host, port }) => {
    const place = isIP(host) === 6 ? `[${host.replace('%', '%25')}]` : encodeURIComponent(host)
    return `${place}:${port}`
  })
  const parameters = Object.entries({ ...(tls ?? withoutTls(hosts)), options }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  const query = parameters.length > 0 ? `?${parameters.join('&')}` : ''
  return `postgres://${credentials}@${places.join(',')}/${encodeURIComponent(database)}${query}`
}

/** Parses the setting with the address of a database. The result is complete: it needs no variables of PostgreSQL. */
export function databaseUrl(text: string, env: NodeJS.ProcessEnv): string {
  const address = parseDatabaseAddress(text, env)
  connectionOf(address)
  return formatDatabaseAddress(address)
}

/** The same address for another database of the same server. */
export function replaceDatabase(url: string, database: string): string {
  return formatDatabaseAddress({ ...parseDatabaseAddress(url), database })
}

/** The same address with one host instead of its own. */
export function replaceHost(url: string, host: DatabaseHost): string {
  return formatDatabaseAddress({ ...parseDatabaseAddress(url), hosts: [host] })
}

/** The addresses of the single hosts of an address. */
export function splitDatabaseUrl(url: string): { at: DatabaseHost; url: string }[] {
  return parseDatabaseAddress(url).hosts.map((at) => ({ at, url: replaceHost(url, at) }))
}

/**
 * The settings of node-postgres for the first host of an address. It never gets the text of an address: parameters in it would replace the settings
 * of the service, and its names of TLS modes have other meanings. Reads the files of the certificates.
 */
export function connectionOf({ hosts, tls, options, ...address }: DatabaseAddress): ClientConfig {
  return {
    ...hosts[0],
    ...address,
    ...(options !== undefined && { options }),
    ssl: tls ? tlsOptions(tls) : false,
    sslnegotiation: tls?.sslnegotiation ?? 'postgres', // otherwise node-postgres reads PGSSLNEGOTIATION
  }
}

function tlsOptions({ sslmode, sslrootcert, sslcert, sslkey }: DatabaseTls): ConnectionOptions {
  const files = {
    ...(sslrootcert !== undefined && sslrootcert !== 'system' && { ca: readPem('sslrootcert', sslrootcert) }),
    ...(sslcert !== undefined && { cert: readPem('sslcert', sslcert) }),
    ...(sslkey !== undefined && { key: readPem('sslkey', sslkey) }),
  }
  try {
    if (sslcert !== undefined) createSecureContext(files)
  } catch (error) {
    throw new Error(`sslcert and sslkey cannot be used: ${(error as Error).message}`)
  }
  return {
    ...files,
    rejectUnauthorized: sslmode !== 'no-verify',
    ...(sslmode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  }
}

function readPem(parameter: 'sslrootcert' | 'sslcert' | 'sslkey', path: string): string {
  let pem: string
  try {
    pem = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${parameter}: ${path} cannot be read (${code}). Check the path and the mode of the file`)
  }
  try {
    if (parameter !== 'sslkey') new X509Certificate(pem) // Node accepts other content as an authority without an error
  } catch {
    throw new Error(`${parameter}: ${path} contains no certificate in PEM format`)
  }
  return pem
}

const wrongCharacters =
  'is not a valid address. If the user name or password contains @, /, ?, # or %, write %40, %2F, %3F, %23 or %25 instead'

function splitAddress(text: string): { authority: string; path: string; query: string } {
  if (/^\s*\w+\s*=/.test(text))
    throw new Error('has the form key=value. Write it as postgres://user:password@host:5432/database')
  if (/^(\/|socket:)/.test(text))
    throw new Error('is the path of a socket. Write it as postgres:///database?host=/run/postgresql')
  const [, rest] = /^postgres(?:ql)?:\/\/(.*)$/is.exec(text) ?? []
  if (rest === undefined) throw new Error('must be an address that begins with postgres:// or postgresql://')
  const [, authority, path = '', query = ''] = /^([^/?#]*)(?:\/([^?#@]*))?(?:\?([^#@]*))?$/s.exec(rest) ?? []
  if (authority === undefined || authority.split('@').length > 2) throw new Error(wrongCharacters)
  return { authority, path, query }
}

function decode(text: string): string {
  if (text.includes('%00')) throw new Error('contains %00, which PostgreSQL does not accept. Remove it')
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(wrongCharacters)
  }
}

/** The hosts and the ports of an address, each as a list with commas. */
function splitHosts(text: string): { host: string; port: string } {
  const places = text.split(',').map(splitHost)
  const ports = places.map(({ port }) => port)
  return { host: places.map(({ host }) => host).join(), port: ports.some((port) => port !== '') ? ports.join() : '' }
}

function splitHost(text: string): { host: string; port: string } {
  if (isIP(text) === 6) throw new Error(`has an IPv6 address without brackets. Write it as [${text}]`)
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text) ?? [undefined, text]
  return { host: decode(host).replace(/^\[(.*)\]$/, '$1'), port: decode(port) }
}

/** One port belongs to all hosts, as in libpq. */
function readHosts(hostList: string, portList: string): DatabaseAddress['hosts'] {
  const [names, ports] = [hostList.split(','), portList.split(',')]
  if (ports.length > 1 && ports.length !== names.length)
    throw new Error(`has ${names.length} hosts and ${ports.length} ports. Write one port, or one for each host`)
  const [first, ...others] = names.map((name, i) => ({
    host: checkHost(name),
    port: checkPort((ports.length > 1 ? ports[i] : ports[0]) || '5432'),
  }))
  const hosts = [first as DatabaseHost, ...others] as const
  const places = new Set(hosts.map(({ host, port }) => `${host} ${port}`))
  if (places.size < hosts.length) throw new Error('names a host twice. Remove one of them')
  if (!areSockets(hosts) && hosts.some(({ host }) => host.startsWith('/')))
    throw new Error('has both a socket and a host of the network. Write only hosts of the network')
  return hosts
}

function areSockets(hosts: readonly DatabaseHost[]): boolean {
  return hosts.every(({ host }) => host.startsWith('/'))
}

function checkHost(host: string): string {
  const isValid = host.startsWith('/') || isIP(host) !== 0 || /^[^\s:/[\]]+$/.test(host)
  if (!isValid) throw new Error('has a host that is not valid. Write a name, an IP address, or [an IPv6 address]')
  return host
}

function checkPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new Error('has a port that is not a number from 1 to 65535')
  return port
}

/** libpq uses the account of the process, too. A container may run as a number without a name. */
function accountName(): string {
  try {
    return userInfo().username
  } catch {
    throw new Error('has no user name. Write it as postgres://user:password@host:5432/database')
  }
}

/** The parameters that have an effect, and the variables for those that an address lacks. PGOPTIONS is not read. */
const variables = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  dbname: 'PGDATABASE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslnegotiation: 'PGSSLNEGOTIATION',
} as const
type Name = keyof typeof variables
type Values = Partial<Record<Name | 'options', string>>
const supported = [...Object.keys(variables), 'options']

/** Parameters of libpq, node-postgres and Prisma that are not supported, and what to do instead. */
const unsupported: Record<string, string> = {
  ssl: 'Write sslmode=verify-full, or sslmode=no-verify',
  uselibpqcompat: 'Write sslmode=verify-full, verify-ca or no-verify to say what is checked',
  target_session_attrs:
    'Remove it: of several hosts, the service always uses the one that accepts writes. `doctor` says if none does',
  load_balance_hosts: 'Remove it: of several hosts, the service always uses the one that accepts writes',
  hostaddr: 'Remove it, and write the IP address as the host',
  service: 'Remove it, and write the host, the user and the database into the address',
  pgbouncer: 'Remove it, and see docs/scaling.md for DATABASE_DIRECT_URL and DATABASE_PREPARED_STATEMENTS',
  schema: 'Remove it, or write options=-c%20search_path%3D and the name of the schema',
  ...Object.fromEntries(
    [
      ...['application_name', 'fallback_application_name', 'client_encoding', 'encoding', 'replication', 'binary'],
      ...['connect_timeout', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'],
      ...['query_timeout', 'connectionTimeoutMillis', 'pool_timeout', 'connection_limit', 'max', 'tcp_user_timeout'],
      ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count'],
    ].map((name) => [name, 'Remove it: the service sets it itself']),
  ),
  ...Object.fromEntries(
    [
      ...['channel_binding', 'require_auth', 'passfile', 'requirepeer', 'requiressl', 'sslcompression', 'sslpassword'],
      ...['sslcertmode', 'sslcrl', 'sslcrldir', 'sslsni', 'ssl_min_protocol_version', 'ssl_max_protocol_version'],
      ...['min_protocol_version', 'max_protocol_version', 'sslkeylogfile', 'gssencmode', 'gsslib', 'gssdelegation'],
      ...['krbsrvname', 'servicefile', 'scram_client_key', 'scram_server_key', 'oauth_issuer', 'oauth_client_id'],
      ...['oauth_client_secret', 'oauth_scope', 'connection_string', 'sslidentity', 'sslaccept', 'sslca'],
    ].map((name) => [name, 'Remove it']),
  ),
}

function parseQuery(query: string): Values {
  const values: Record<string, string> = {}
  for (const [index, part] of query.split('&').entries()) {
    if (part === '') continue
    const [, name = '', value = ''] = (/^([^=]*)=?(.*)$/s.exec(part) ?? []).map(decode)
    if (!/^\w+$/.test(name)) throw new Error(wrongCharacters)
    if (!supported.includes(name)) throw new Error(rejectionOf(name, index + 1))
    if (name in values) throw new Error(`The parameter ${name} occurs twice. Remove one of them`)
    if (value === '') throw new Error(`The parameter ${name} has no value. Remove it, or add the value`)
    values[name] = value
  }
  return values
}

/** Repeats only names that resemble a parameter: any other text may be the part of a password after an &. */
function rejectionOf(name: string, number: number): string {
  if (Object.hasOwn(unsupported, name)) return `The parameter ${name} is not supported. ${unsupported[name]}`
  const nearest = nearestName(name, [...supported, ...Object.keys(unsupported)])
  if (nearest !== undefined) return `The parameter ${name} does not exist. Did you mean ${nearest}?`
  return `The parameter number ${number} after the ? does not exist. Remove it. If it is a part of a value, write & as %26`
}

function withoutEmpty(values: Record<string, string>): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}

const modes = ['disable', 'no-verify', 'verify-ca', 'verify-full', 'require']
const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'] as const

/** `require` checks as much as `verify-full`. libpq checks nothing with it, so an attacker on the network could read everything. */
function readTls(values: Values, env: NodeJS.ProcessEnv): DatabaseTls | undefined {
  const valueFor = (name: Name) => values[name] ?? (env[variables[name]] || undefined)
  const nameOf = (name: Name) => (name in values ? name : variables[name])
  const isWanted = [...fileParameters, 'sslnegotiation' as const].some((name) => valueFor(name) !== undefined)
  const mode = valueFor('sslmode') ?? (isWanted ? 'verify-full' : 'disable')
  if (!modes.includes(mode))
    throw new Error(
      `${nameOf('sslmode')} must be one of ${modes.join(', ')}. prefer and allow are not supported, because they may connect without encryption`,
    )
  const unused = { disable: [...fileParameters, 'sslnegotiation' as const], 'no-verify': ['sslrootcert' as const] }[
    mode
  ]
  const contradiction = unused?.find((name) => name in values)
  if (contradiction) throw new Error(`sslmode=${mode} does not use ${contradiction}. Remove one of them`)
  if (mode === 'disable') return undefined
  const root = mode === 'no-verify' ? undefined : valueFor('sslrootcert')
  if (mode === 'verify-ca' && (root ?? 'system') === 'system')
    throw new Error(
      'sslmode=verify-ca needs sslrootcert with the certificate of your own authority, because anybody can get a certificate from a public one',
    )
  const [sslcert, sslkey] = [valueFor('sslcert'), valueFor('sslkey')]
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new Error(sslkey === undefined ? 'sslcert needs sslkey' : 'sslkey needs sslcert')
  const negotiation = valueFor('sslnegotiation')
  if (negotiation !== undefined && !['postgres', 'direct'].includes(negotiation))
    throw new Error(`${nameOf('sslnegotiation')} must be one of postgres, direct`)
  return {
    sslmode: mode === 'require' ? 'verify-full' : (mode as DatabaseTls['sslmode']),
    sslrootcert: root,
    sslcert,
    sslkey,
    sslnegotiation: negotiation === 'direct' ? negotiation : undefined,
  }
}

/** Variables such as PGSSLMODE may be set for all programs, so they do not matter here. */
function rejectTls(values: Values): undefined {
  const name = Object.keys(values).find((each) => each.startsWith('ssl'))
  if (name !== undefined && values.sslmode !== 'disable')
    throw new Error(`A connection through a socket has no TLS. Remove ${name}`)
}

/** Says that there is no TLS. Otherwise PGSSLMODE could turn it on when the result is parsed again. */
function withoutTls(hosts: readonly DatabaseHost[]): { sslmode?: string } {
  return areSockets(hosts) ? {} : { sslmode: 'disable' }
}
