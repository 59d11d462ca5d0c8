import type { RunningSimulator } from './server.ts'

export type Request = { method?: string; body?: unknown; headers?: Record<string, string>; timeoutMs?: number }

export type Client = ReturnType<typeof clientOf>

/** For the simulator's own tests. */
export function clientOf(simulator: RunningSimulator) {
  async function call(path: string, { method = 'GET', body, headers, timeoutMs = 5000 }: Request = {}) {
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
