import type { EventData } from './notifications.queries.ts'

export type Notification = { type: string; createdAt: Date; data: EventData }

/** The body for each kind of receiver. Only the generic one is signed; no body holds a voucher's code. */
export const formats: Record<string, { about: string; signed: boolean; body: (event: Notification) => object }> = {
  generic: {
    about: 'JSON signed by Standard Webhooks',
    signed: true,
    body: ({ type, createdAt, data }) => ({ type, timestamp: createdAt.toISOString(), data }),
  },
  slack: {
    about: 'Slack incoming webhook',
    signed: false,
    body: ({ data }) => ({ text: forSlack(sentence(data)) }),
  },
}

function sentence({ count, site, source }: EventData): string {
  return `${count === 1 ? '1 Voucher' : `${count} Voucher`} erstellt: ${site} (${source})`
}

/** Names are written by others: no mention and no `<…>` comes through. */
function forSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', '@\u200b')
}
