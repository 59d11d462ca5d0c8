import { v7 as uuidv7 } from 'uuid'
import type { Database } from '#db/database.ts'
import { type Keyring, seal } from '#lib/cipher.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { CommandRefused } from '../errors.ts'
import { plainName } from '../plain-name.ts'
import { formats } from './formats.ts'
import { makeWebhookSecret } from './signature.ts'
import { insertWebhook, insertWebhookSites, type Webhook } from './webhooks.queries.ts'

export type WebhookRequest = {
  name: string
  format: string
  /** As `receiverUrl` returned it. Whether it may be reached is decided whenever something is sent. */
  url: string
  siteIds: number[] | undefined
  reportsControllers?: boolean
}

/** The signing secret is returned here and never again; chat platforms have none, their address is the secret. */
export async function addWebhook(
  db: Database,
  keyring: Keyring,
  request: WebhookRequest,
): Promise<Webhook & { secret: string | null }> {
  const { format, url, siteIds, reportsControllers = false } = request
  const name = plainName(request.name)
  const id = uuidv7()
  const secret = formats[format]?.signed ? makeWebhookSecret() : null
  const place = (column: string) => ({ table: 'webhooks', column, row: id })
  return db.transaction(async (tx) => {
    const webhook = await insertWebhook(tx, {
      id,
      name,
      format,
      url: seal(keyring, place('url'), url),
      secret: secret && seal(keyring, place('secret'), secret),
      allSites: siteIds === undefined,
      reportsControllers,
    })
    if (!webhook) throw new CommandRefused(`A webhook is called "${name}" already.`)
    const found = siteIds ? await insertWebhookSites(tx, id, siteIds) : []
    const missing = (siteIds ?? []).filter((siteId) => !found.includes(siteId))
    if (missing.length > 0) throw new CommandRefused(`No site has the id ${missing.join(', ')}.`)
    await recordAudit(tx, {
      action: 'webhook.added',
      targetKind: 'webhook',
      targetId: id,
      details: { name, format, siteIds: siteIds ?? 'all', reportsControllers },
    })
    return { ...webhook, siteIds: found, secret }
  })
}
