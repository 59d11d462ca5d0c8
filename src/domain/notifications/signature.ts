import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** A secret as Standard Webhooks writes it. */
export function makeWebhookSecret(): string {
  return prefix + randomBytes(24).toString('base64')
}

/**
 * The three headers of Standard Webhooks, with a signature by each secret. The id is the same on every repeat, so a
 * receiver can tell it is one; the time is that of the repeat, or it would be refused as too old.
 */
export function signatureHeaders(secrets: string[], id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
