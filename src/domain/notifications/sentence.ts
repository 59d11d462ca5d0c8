import type { Notification, OutageData } from './notification.ts'

/** One sentence for a chat. Names are written by others: `inert` makes them harmless on that platform. */
export function sentence(event: Notification, inert: (name: string) => string): string {
  switch (event.type) {
    case 'voucher.created':
      return `${event.data.count} Voucher erstellt: ${inert(event.data.site)} (${inert(event.data.source)})`
    case 'controller.unreachable':
      return `Controller nicht erreichbar: ${inert(event.data.controller)}`
    case 'controller.reachable':
      return `Controller wieder erreichbar: ${inert(event.data.controller)} (nach ${minutesOf(event.data)})`
    case 'webhook.test':
      return 'Test: Benachrichtigungen kommen hier an.'
  }
}

function minutesOf({ since, until }: OutageData): string {
  const ms = Date.parse(until ?? since) - Date.parse(since)
  const minutes = Math.max(1, Math.round(ms / 60_000))
  return minutes === 1 ? '1 Minute' : `${minutes} Minuten`
}
