import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string; bytes: Buffer; json: () => any }

export type Call = {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  agent?: Agent
  trustAnyone?: boolean
}

/** An idle connection is closed before the servers of the tests close it, which is after 5 s. Otherwise a request may meet its end. */
const idle = { keepAlive: true, timeout: 3_000 }
const agent = new Agent(idle)
const trusting = new HttpsAgent({ ...idle, rejectUnauthorized: false })

/** Sends any method, header and body, including requests that `fetch` rejects. */
export function call(
  url: string,
  { method = 'GET', headers = {}, body, agent: own = agent, trustAnyone }: Call = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const secure = url.startsWith('https:')
    const options = { method, headers, agent: secure && trustAnyone ? trusting : own }
    const sent = (secure ? requestHttps : request)(url, options, (received) => {
      const chunks: Buffer[] = []
      received.on('data', (chunk) => chunks.push(chunk))
      received.on('error', reject)
      received.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString()
        const { statusCode: status = 0, headers } = received
        resolve({ status, headers, text, bytes, json: () => JSON.parse(text) })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
