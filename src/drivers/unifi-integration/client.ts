import type { ControllerAccess } from '../driver.ts'
import { refusalOf } from '../failures.ts'
import { createHttp, type HttpReply, type HttpRequest } from '../http.ts'
import { parse } from '../read-reply.ts'

const readTimeoutMs = 10_000

export type IntegrationClient = {
  get(path: string, deadline?: AbortSignal): Promise<unknown>
  /** Some controllers answer a deletion with no body. */
  delete(path: string): Promise<void>
  /** The only call that must not be repeated. If anything fails after it was sent, the outcome is unknown. */
  create(path: string, body: object, deadline: AbortSignal): Promise<unknown>
  clockAheadMs(): number
  dateAheadMs(): number
  close(): Promise<void>
}

/** The address is a console's, or that of a console behind the cloud connector: what follows it is the same. */
export function createClient(access: ControllerAccess, apiKey: string): IntegrationClient {
  const http = createHttp(access)
  const soon = () => AbortSignal.timeout(readTimeoutMs)

  async function call({ path, ...request }: Omit<HttpRequest, 'headers'>): Promise<HttpReply> {
    const reply = await http.request({
      ...request,
      path: `/proxy/network/integration/v1${path}`,
      headers: { 'x-api-key': apiKey },
    })
    if (reply.status < 200 || reply.status >= 300) throw refusalOf(reply.status)
    return reply
  }

  return {
    get: async (path, deadline = soon()) => parse((await call({ method: 'GET', path, deadline })).text),
    async delete(path) {
      const { text } = await call({ method: 'DELETE', path, deadline: soon() })
      if (text !== '') parse(text)
    },
    create: async (path, body, deadline) => parse((await call({ method: 'POST', path, body, deadline })).text),
    clockAheadMs: () => http.clockAheadMs(),
    dateAheadMs: () => http.dateAheadMs(),
    close: () => http.close(),
  }
}
