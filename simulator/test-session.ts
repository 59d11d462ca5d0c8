import type { RunningSimulator } from './server.ts'
import type { FlavourName } from './simulator.ts'
import { clientOf, type Request } from './test-client.ts'

const paths = {
  console: { login: '/api/auth/login', logout: '/api/auth/logout', prefix: '/proxy/network' },
  'self-hosted': { login: '/api/login', logout: '/logout', prefix: '' },
}

/** For the simulator's own tests: signs in and keeps what it was given at sign-in, whatever comes later. */
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
