import { fetch } from 'undici'
import type { Queryable } from '#db/database.ts'
import { type Keyring, open, SealBroken } from '#lib/cipher.ts'
import { formats, type Notification } from './formats.ts'
import { type DueDelivery, findDueDelivery, insertAttempt } from './notifications.queries.ts'
import { signatureHeaders } from './signature.ts'

const timeoutMs = 15_000

type Receiver = Pick<DueDelivery, 'webhookId' | 'format' | 'url' | 'secret'>

/** Sends one delivery once and notes how it went. Throws when it did not arrive, so that the queue repeats it. */
export async function deliver(ctx: { db: Queryable; keyring: Keyring }, deliveryId: string): Promise<void> {
  const delivery = await findDueDelivery(ctx.db, deliveryId)
  if (!delivery) return
  const startedAt = new Date()
  const { status, error } = await send(ctx.keyring, delivery, delivery.eventId, delivery)
  const delivered = status !== null && status >= 200 && status < 300
  const durationMs = Date.now() - startedAt.getTime()
  await insertAttempt(ctx.db, delivery.id, { startedAt, durationMs, status, error, delivered })
  if (!delivered) throw new Error(`Delivery ${delivery.id} did not arrive: ${status ?? error}`)
}

/** Never throws: what went wrong is part of the result. The address is a secret and stands in no message. */
export async function send(
  keyring: Keyring,
  receiver: Receiver,
  eventId: string,
  event: Notification,
): Promise<{ status: number | null; error: string | null }> {
  const opened = (column: 'url' | 'secret', value: string) =>
    open(keyring, { table: 'webhooks', column, row: receiver.webhookId }, value)
  try {
    const format = formats[receiver.format]
    if (!format) return { status: null, error: `unknown format ${receiver.format}` }
    const body = JSON.stringify(format.body(event))
    const signed =
      format.signed && receiver.secret !== null
        ? signatureHeaders(opened('secret', receiver.secret), eventId, new Date(), body)
        : {}
    const answer = await fetch(opened('url', receiver.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'voucher-service', ...signed },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await answer.body?.cancel()
    return { status: answer.status, error: null }
  } catch (error) {
    return { status: null, error: reasonOf(error as Error & { cause?: { code?: string } }) }
  }
}

function reasonOf(error: Error & { cause?: { code?: string } }): string {
  if (error instanceof SealBroken) return 'its address or secret does not open'
  if (error.name === 'TimeoutError') return 'no answer within 15 s'
  return error.cause?.code ?? 'connection failed'
}
