import type { FlavourName } from './classic/flavours.ts'
import type { RunningSimulator } from './start-simulator.ts'

export type Request = { method?: string; body?: unknown; headers?: Record<string, string>; timeoutMs?: number }

export type Client = ReturnType<typeof clientOf>

/** A client for the simulator's own tests: the Integration API and `/control`. */
export function clientOf(simulator: RunningSimulator) {
  async function call(path: string, { method = 'GET', body, headers, timeoutMs = 30_000 }: Request = {}) {
    const response = await fetch(simulator.url + path, {
      method,
      redirect: 'manual',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const text = bytes.toString()
    return { status: response.status, headers: response.headers, bytes, text, json: () => JSON.parse(text) }
  }
  const control = (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') =>
    call(`/control${path}`, { method, body })

  return {
    call,
    control,
    integration: (path: string, options: Request = {}) =>
      call(`${simulator.pathPrefix ?? ''}/proxy/network/integration/v1${path}`, {
        ...options,
        headers: { 'x-api-key': simulator.apiKey, ...options.headers },
      }),
    advance: (advanceSeconds: number) => control('/clock', { advanceSeconds }),
    redeem: (code: string, mac = 'aa:00:00:00:00:01') => control('/redeem', { code, mac }),
    behave: (behaviour: object) => control('/behaviour', behaviour),
    made: async () => (await control('/vouchers')).json(),
  }
}

const paths = {
  console: { login: '/api/auth/login', logout: '/api/auth/logout', prefix: '/proxy/network' },
  'self-hosted': { login: '/api/login', logout: '/logout', prefix: '' },
}

/** A client of the classic API. It keeps the cookies and the CSRF token of the sign-in and ignores later ones. */
export function sessionOf(simulator: RunningSimulator, flavour: FlavourName) {
  const { call } = clientOf(simulator)
  const { login, logout, prefix } = paths[flavour]
  const { username, password } = simulator
  let headers: Record<string, string> = {}

  const send = (path: string, { headers: more, ...options }: Request = {}) =>
    call(path, { ...options, headers: { ...headers, ...more } })
  const post = (path: string, body: unknown, options: Request = {}) =>
    send(prefix + path, { ...options, method: 'POST', body })
  const command = (body: object, options?: Request) => post('/api/s/default/cmd/hotspot', body, options)

  return {
    async signIn(body: object = { username, password }, more: Record<string, string> = {}) {
      const answer = await call(login, { method: 'POST', body, headers: more })
      const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
      const csrf = answer.headers.get('x-csrf-token')
      headers = { cookie: cookies.join('; '), ...(csrf && { 'x-csrf-token': csrf }) }
      return answer
    },
    signOut: () => send(logout, { method: 'POST' }),
    get: (path: string, options?: Request) => send(prefix + path, options),
    post,
    create: (body: object = {}, options?: Request) =>
      command({ cmd: 'create-voucher', n: 1, quota: 1, expire: 480, note: 'Visit 7F3K', ...body }, options),
    remove: (id: unknown, options?: Request) => command({ cmd: 'delete-voucher', _id: id }, options),
    list: async () => (await send(`${prefix}/api/s/default/stat/voucher`)).json().data,
    listSecond: async (second: unknown) =>
      (await post('/api/s/default/stat/voucher', { create_time: second })).json().data,
  }
}
