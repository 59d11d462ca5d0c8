import { type Keyring, open, SealBroken } from '#lib/cipher.ts'
import type { Clock } from '#lib/clock.ts'
import { formats } from './formats.ts'
import type { Notification } from './notification.ts'
import type { Answer, Receivers } from './receivers.ts'
import { signatureHeaders } from './signature.ts'

/** As stored: address and secrets are sealed. The previous secret is null once its time is over. */
export type Target = {
  webhookId: string
  format: string
  url: string
  secret: string | null
  previousSecret: string | null
}

export type SendContext = { keyring: Keyring; receivers: Receivers; clock: Clock }

/** Sends one event once. Never throws: what went wrong is part of the answer. */
export async function send(
  { keyring, receivers, clock }: SendContext,
  target: Target,
  eventId: string,
  event: Notification,
): Promise<Answer> {
  const format = formats[target.format]
  if (!format) return noAnswer(`unknown format ${target.format}`)
  try {
    const opened = (column: string, value: string | null) =>
      value === null ? [] : [open(keyring, { table: 'webhooks', column, row: target.webhookId }, value)]
    const secrets = [...opened('secret', target.secret), ...opened('previous_secret', target.previousSecret)]
    const [url = ''] = opened('url', target.url)
    const body = JSON.stringify(format.body(event))
    const signed = format.signed && secrets.length > 0 ? signatureHeaders(secrets, eventId, clock.now(), body) : {}
    const headers = { 'content-type': 'application/json', 'user-agent': 'voucher-service', ...signed }
    return await receivers.post(url, headers, body)
  } catch (error) {
    if (error instanceof SealBroken) return noAnswer('its address or secret does not open')
    throw error
  }
}

/** A 2xx that breaks off may come from a proxy before a receiver that is gone: it counts only when it is complete. */
export function hasArrived({ status, error }: Answer): boolean {
  return error === null && status !== null && status >= 200 && status < 300
}

function noAnswer(error: string): Answer {
  return { status: null, error, reply: null, retryAfterMs: null }
}
