import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { json } from 'node:stream/consumers'

/** Calls `/control` of a simulator, whose certificate is self-signed and on this machine. Returns undefined if it rejects. */
export async function callSimulator(url: string, path: string, body: object): Promise<unknown> {
  const call = request(`${url}/control${path}`, { method: 'POST', rejectUnauthorized: false })
  call.end(JSON.stringify(body))
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  const content = await json(answer)
  return answer.statusCode !== undefined && answer.statusCode < 300 ? content : undefined
}
