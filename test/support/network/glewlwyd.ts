import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../data/local-servers.ts'
import { onFileEnd } from '../on-file-end.ts'

type Person = { username: string; password: string; name: string; email: string; groups: string[] }

export type Glewlwyd = {
  issuer: string
  clientId: string
  clientSecret: string
  setGroups(username: string, groups: string[]): Promise<void>
  stop(): Promise<void>
  /** Starts it again at the same address with the same people. Its clock is ahead by `aheadMinutes`. */
  start(options?: { aheadMinutes?: number }): Promise<void>
}

const program = '/usr/bin/glewlwyd'
const [fakeClock] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')

/** The Debian packages that `startGlewlwyd` needs and this machine does not have. */
export const missingPackages = [
  ...(existsSync(program) ? [] : ['glewlwyd']),
  ...(fakeClock === undefined ? ['faketime'] : []),
]

/** The scopes that the service asks for. */
const scopes = ['openid', 'profile', 'email']
const clientId = 'voucher-service'
const clientSecret = 'a secret of glewlwyd & co'

/**
 * Starts glewlwyd, an OpenID Connect provider in C that shares no code with the service. It uses plain HTTP at localhost, which is
 * another site for browsers than 127.0.0.1. The people have agreed already that the client may read their names and groups.
 */
export async function startGlewlwyd({
  redirectUrl,
  people,
}: {
  redirectUrl: string
  people: Person[]
}): Promise<Glewlwyd> {
  const folder = mkdtempSync(join(tmpdir(), 'glewlwyd-'))
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const issuer = `${origin}/api/oidc`
  let running: ChildProcess | undefined
  prepareFolder(folder, port)

  async function start({ aheadMinutes = 0 } = {}): Promise<void> {
    const env = aheadMinutes === 0 ? {} : { LD_PRELOAD: fakeClock, FAKETIME: `+${aheadMinutes}m` }
    running = spawn(program, ['--config-file', join(folder, 'glewlwyd.conf')], { env, stdio: 'ignore' })
    const { promise: exited, reject } = Promise.withResolvers<never>()
    running.once('exit', (code) => reject(new Error(`glewlwyd ended with ${code}:\n${readLog(folder)}`)))
    exited.catch(() => {}) // later, it ends because the test stops it
    for (let tries = 0; !(await Promise.race([answers(`${origin}/config`), exited])); tries++) {
      if (tries > 1200) throw new Error(`glewlwyd does not answer:\n${readLog(folder)}`)
      await pause(50)
    }
  }

  async function stop(): Promise<void> {
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const exited = once(running, 'exit')
    running.kill('SIGTERM')
    await exited
  }

  onFileEnd(async () => {
    await stop()
    rmSync(folder, { recursive: true })
  })
  await start()
  const administrator = await signIn(origin, { username: 'admin', password: 'password' })
  await addProvider(administrator, issuer)
  await addClient(administrator, redirectUrl)
  for (const person of people) {
    await administrator('POST', 'user/', { ...person, scope: ['g_profile', ...scopes], enabled: true })
    const asPerson = await signIn(origin, person)
    await asPerson('PUT', `auth/grant/${clientId}`, { scope: scopes.join(' ') })
  }
  return {
    issuer,
    clientId,
    clientSecret,
    start,
    stop,
    async setGroups(username, groups) {
      const person = people.find((each) => each.username === username)
      await administrator('PUT', `user/${username}`, {
        ...person,
        password: undefined,
        scope: ['g_profile', ...scopes],
        groups,
      })
    },
  }
}

/** Writes the settings, an empty database and the pages of glewlwyd into the folder. */
function prepareFolder(folder: string, port: number): void {
  const shared = '/usr/share/glewlwyd'
  const database = new DatabaseSync(join(folder, 'glewlwyd.db'))
  database.exec(readFileSync('/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3', 'utf8'))
  database.close()
  // In the package of Debian, config.json is a link to a folder, so the pages do not find their settings.
  cpSync(`${shared}/webapp`, join(folder, 'webapp'), {
    recursive: true,
    dereference: true,
    filter: (path) => !path.endsWith('config.json'),
  })
  cpSync(`${shared}/templates/config.json`, join(folder, 'webapp/config.json'))
  const types = { html: 'text/html', css: 'text/css', js: 'application/javascript', json: 'application/json' }
  const settings = `
    port = ${port}
    bind_address = "127.0.0.1"
    external_url = "http://localhost:${port}"
    login_url = "login.html"
    api_prefix = "api"
    static_files_path = "${folder}/webapp/"
    static_files_mime_types = (${Object.entries(types)
      .map(([extension, type]) => `{ extension = ".${extension}" mime_type = "${type}" compress = 0 }`)
      .join(', ')})
    log_mode = "file"
    log_level = "WARNING"
    log_file = "${folder}/log"
    cookie_domain = "localhost"
    cookie_secure = 0
    session_expiration = 3600
    session_key = "GLEWLWYD2_SESSION_ID"
    admin_scope = "g_admin"
    profile_scope = "g_profile"
    user_module_path = "/usr/lib/glewlwyd/user"
    user_middleware_module_path = "${folder}"
    client_module_path = "/usr/lib/glewlwyd/client"
    user_auth_scheme_module_path = "/usr/lib/glewlwyd/scheme"
    plugin_module_path = "/usr/lib/glewlwyd/plugin"
    hash_algorithm = "SHA512"
    database = { type = "sqlite3" path = "${folder}/glewlwyd.db" }`
  writeFileSync(join(folder, 'glewlwyd.conf'), settings)
}

const readLog = (folder: string) => (existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8') : '')

const answers = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

type Call = (method: string, path: string, body: object) => Promise<void>

/** Signs in at the API of glewlwyd. Returns a function that calls it with that session. */
async function signIn(origin: string, { username, password }: { username: string; password: string }): Promise<Call> {
  let cookie = ''
  const call = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json', cookie }
    const answer = await fetch(`${origin}/api/${path}`, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
    cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? cookie
  }
  await call('POST', 'auth/', { username, password })
  return call
}

/** Adds the OpenID Connect provider, and to people a property `groups` that it sends as a claim. */
async function addProvider(call: Call, issuer: string): Promise<void> {
  const groups = { multiple: true, read: true, write: true, 'profile-read': true, 'profile-write': false }
  await call('PUT', 'mod/user/database', {
    display_name: 'People',
    order_rank: 0,
    readonly: false,
    parameters: { 'use-glewlwyd-connection': true, 'data-format': { groups } },
  })
  await call('PUT', 'mod/user/database/reset', {})
  for (const name of scopes.slice(1))
    await call('POST', 'scope/', { name, display_name: name, password_required: false, scheme: {} })
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  await call('POST', 'mod/plugin/', {
    module: 'oidc',
    name: 'oidc',
    display_name: 'OpenID Connect',
    parameters: {
      iss: issuer,
      'jwt-type': 'rsa',
      'jwt-key-size': '256',
      key: privateKey,
      cert: publicKey,
      'jwks-show': true,
      'access-token-duration': 3600,
      'refresh-token-duration': 1_209_600,
      'code-duration': 600,
      'allow-non-oidc': false,
      'auth-type-code-enabled': true,
      'auth-type-code-revoke-replayed': true,
      'auth-type-token-enabled': false,
      'auth-type-id-token-enabled': true,
      'auth-type-none-enabled': false,
      'auth-type-password-enabled': false,
      'auth-type-client-enabled': false,
      'auth-type-device-enabled': false,
      'auth-type-refresh-enabled': true,
      'subject-type': 'public',
      'pkce-allowed': true,
      'pkce-required': true,
      'pkce-method-plain-allowed': false,
      'oauth-as-iss-id': true,
      'name-claim': 'mandatory',
      'email-claim': 'mandatory',
      'scope-claim': 'no',
      claims: [{ name: 'groups', 'user-property': 'groups', type: 'string', mandatory: true }],
    },
  })
}

function addClient(call: Call, redirectUrl: string): Promise<void> {
  return call('POST', 'client/', {
    client_id: clientId,
    name: 'Voucher Service',
    enabled: true,
    confidential: true,
    client_secret: clientSecret,
    token_endpoint_auth_method: ['client_secret_basic', 'client_secret_post'],
    authorization_type: ['code', 'refresh_token'],
    redirect_uri: [redirectUrl],
    scope: [],
  })
}
