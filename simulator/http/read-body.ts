import type { IncomingMessage } from 'node:http'

const mostBytes = 1024 * 1024

/** Undefined when the body is too large; rejects when the caller goes away. */
export function readBody(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= mostBytes) chunks.push(chunk)
    })
    request.on('end', () => resolve(bytes > mostBytes ? undefined : Buffer.concat(chunks).toString('utf8')))
    request.on('error', reject)
    request.on('close', () => reject(new Error('The caller went away')))
  })
}
