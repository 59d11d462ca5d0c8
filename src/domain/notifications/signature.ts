import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** A secret as Standard Webhooks writes it. */
export function makeWebhookSecret(): string {
  return prefix + randomBytes(24).toString('base64')
}

/** The three headers of Standard Webhooks. The id is the same on every repeat, so a receiver can tell it is one. */
export function signatureHeaders(secret: string, id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
