import type { Language } from './event-types.ts'
import type { Notification, OutageData, RevocationReason } from './notification.ts'

/** The event as one line of a chat. The names in it are untrusted input: `escapeName` makes them harmless on that platform. */
export function sentence(event: Notification, language: Language, escapeName: (name: string) => string): string {
  const words = language === 'de' ? german : english
  switch (event.type) {
    case 'voucher.created': {
      const { vouchers, site, source } = event.data
      return `${words.created(vouchers.length)}: ${escapeName(site)} (${escapeName(source)})`
    }
    case 'voucher.first_used':
      return `${words.firstUsed(event.data.vouchers.length)}: ${escapeName(event.data.site)}`
    case 'voucher.expired':
      return `${words.expired(event.data.vouchers.length)}: ${escapeName(event.data.site)}`
    case 'voucher.revoked': {
      const { vouchers, site, reason } = event.data
      return `${words.revoked(vouchers.length)}: ${escapeName(site)} (${words.reasons[reason]})`
    }
    case 'batch.finished': {
      const { site, source, made, failed, cancelled } = event.data
      const counts = words.counts({ made, failed, cancelled })
      return `${words.batchFinished}: ${escapeName(site)} (${escapeName(source)}; ${counts})`
    }
    case 'controller.unreachable':
      return `${words.unreachable}: ${escapeName(event.data.controller)}`
    case 'controller.reachable':
      return `${words.reachable}: ${escapeName(event.data.controller)} (${words.after(minutes(event.data))})`
    case 'webhook.test':
      return words.test
  }
}

type Words = {
  created: (count: number) => string
  firstUsed: (count: number) => string
  expired: (count: number) => string
  revoked: (count: number) => string
  reasons: Record<RevocationReason, string>
  batchFinished: string
  counts: (rows: { made: number; failed: number; cancelled: number }) => string
  unreachable: string
  reachable: string
  after: (minutes: number) => string
  test: string
}

const german: Words = {
  created: (count) => `${count} Voucher erstellt`,
  firstUsed: (count) => `${count} Voucher erstmals benutzt`,
  expired: (count) => `${count} Voucher abgelaufen`,
  revoked: (count) => `${count} Voucher widerrufen`,
  reasons: {
    request: 'auf Anforderung',
    valid_until: 'Ende der Gültigkeit',
    unused: 'nicht benutzt',
    controller: 'auf dem Controller gelöscht',
  },
  batchFinished: 'Voucher-Liste beendet',
  counts: ({ made, failed, cancelled }) => `${made} erstellt, ${failed} fehlgeschlagen, ${cancelled} abgebrochen`,
  unreachable: 'Controller nicht erreichbar',
  reachable: 'Controller wieder erreichbar',
  after: (count) => `nach ${count === 1 ? '1 Minute' : `${count} Minuten`}`,
  test: 'Test: Benachrichtigungen kommen hier an.',
}

const english: Words = {
  created: (count) => `${vouchers(count)} created`,
  firstUsed: (count) => `${vouchers(count)} used for the first time`,
  expired: (count) => `${vouchers(count)} expired`,
  revoked: (count) => `${vouchers(count)} revoked`,
  reasons: {
    request: 'on request',
    valid_until: 'end of validity',
    unused: 'not used',
    controller: 'deleted on the controller',
  },
  batchFinished: 'Batch finished',
  counts: ({ made, failed, cancelled }) => `${made} created, ${failed} failed, ${cancelled} cancelled`,
  unreachable: 'Controller not reachable',
  reachable: 'Controller reachable again',
  after: (count) => `after ${count === 1 ? '1 minute' : `${count} minutes`}`,
  test: 'Test: notifications arrive here.',
}

function vouchers(count: number): string {
  return count === 1 ? '1 voucher' : `${count} vouchers`
}

function minutes({ since, until }: OutageData): number {
  const ms = Date.parse(until ?? since) - Date.parse(since)
  return Math.max(1, Math.round(ms / 60_000))
}
