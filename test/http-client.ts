import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string; json: () => any }

export type Call = { method?: string; headers?: Record<string, string>; body?: string | Buffer; agent?: Agent }

const agent = new Agent({ keepAlive: true })

/** Any method, any header, any body: what `fetch` would refuse to send is what these tests are about. */
export function call(
  url: string,
  { method = 'GET', headers = {}, body, agent: own = agent }: Call = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: own }, (received) => {
      const chunks: Buffer[] = []
      received.on('data', (chunk) => chunks.push(chunk))
      received.on('error', reject)
      received.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: received.statusCode ?? 0, headers: received.headers, text, json: () => JSON.parse(text) })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
