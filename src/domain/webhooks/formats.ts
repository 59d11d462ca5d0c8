/** The `data` of the generic format. A voucher's code is never part of it. */
type CreatedData = {
  count: number
  site_id: number
  site: string
  source: string
  voucher_ids: string[]
  batch_id?: string
}
type OutageData = { controller: string; since: string; until: string | null }

/** An event as its receivers see it. */
export type Notification = { createdAt: Date } & (
  | { type: 'voucher.created' | 'webhook.test'; data: CreatedData }
  | { type: 'controller.unreachable' | 'controller.reachable'; data: OutageData }
)

type Format = { about: string; signed: boolean; body: (event: Notification) => object }

/** The request body for each kind of receiver. Only the generic format is signed. No body contains a voucher's code. */
export const formats: Record<string, Format> = {
  generic: {
    about: 'JSON signed by Standard Webhooks',
    signed: true,
    body: ({ type, createdAt, data }) => ({ type, timestamp: createdAt.toISOString(), data }),
  },
  slack: { about: 'Slack incoming webhook', signed: false, body: (event) => text(event, escapeForSlack) },
  mattermost: {
    about: 'Mattermost incoming webhook',
    signed: false,
    body: (event) => text(event, escapeForMattermost),
  },
  'rocket-chat': { about: 'Rocket.Chat incoming webhook', signed: false, body: (event) => text(event, escapeForSlack) },
  discord: {
    about: 'Discord webhook',
    signed: false,
    body: (event) => ({ content: sentence(event, escapeForMarkdown), allowed_mentions: { parse: [] } }),
  },
  teams: { about: 'Microsoft Teams, by a workflow of Power Automate', signed: false, body: card },
}

function text(event: Notification, escapeName: (name: string) => string): { text: string } {
  return { text: sentence(event, escapeName) }
}

/** The message that the Power Automate template "post to a channel when a webhook request is received" expects. */
function card(event: Notification): object {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'TextBlock', text: sentence(event, escapeForMarkdown), wrap: true }],
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

/** The event as one line of a chat. The names in it are untrusted input: `escapeName` makes them harmless on that platform. */
function sentence(event: Notification, escapeName: (name: string) => string): string {
  switch (event.type) {
    case 'voucher.created':
      return `${event.data.count} Voucher erstellt: ${escapeName(event.data.site)} (${escapeName(event.data.source)})`
    case 'controller.unreachable':
      return `Controller nicht erreichbar: ${escapeName(event.data.controller)}`
    case 'controller.reachable':
      return `Controller wieder erreichbar: ${escapeName(event.data.controller)} (nach ${duration(event.data)})`
    case 'webhook.test':
      return 'Test: Benachrichtigungen kommen hier an.'
  }
}

function duration({ since, until }: OutageData): string {
  const ms = Date.parse(until ?? since) - Date.parse(since)
  const minutes = Math.max(1, Math.round(ms / 60_000))
  return minutes === 1 ? '1 Minute' : `${minutes} Minuten`
}

/** For Slack and platforms that imitate it: every link and mention begins with `<`. */
function escapeForSlack(name: string): string {
  return withEntities(withoutLinks(name))
}

/** For Mattermost, which reads both Slack's markup and Markdown. */
function escapeForMattermost(name: string): string {
  return withEntities(withBackslashes(withoutLinks(name), /[\\`*_~|[\](){}#!]/g))
}

/** For the Markdown of Discord and Adaptive Cards. The latter also run functions in braces: `{{DATE(…)}}`. */
function escapeForMarkdown(name: string): string {
  return withBackslashes(withoutLinks(name), /[\\`*_~|[\](){}#!<>]/g)
}

/** A zero-width space: it breaks links and mentions without being visible. */
const gap = '\u200b'

/** Replaces control characters and line breaks, and breaks mentions and everything that looks like a link. */
function withoutLinks(name: string): string {
  return name
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
    .replaceAll('@', `@${gap}`)
    .replaceAll('](', `]${gap}(`)
    .replaceAll('://', `:${gap}//`)
    .replace(/(?<=[\p{L}\p{N}])\.(?=\p{L}{2})/gu, `.${gap}`) // www.example.com
}

function withEntities(name: string): string {
  return name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function withBackslashes(name: string, signs: RegExp): string {
  return name.replace(signs, '\\$&')
}
