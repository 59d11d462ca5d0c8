import { inertForMarkdown, inertForMattermost, inertForSlack } from './inert-text.ts'
import type { Notification } from './notification.ts'
import { sentence } from './sentence.ts'

type Format = { about: string; signed: boolean; body: (event: Notification) => object }

/** The body for each kind of receiver. Only the generic one is signed; no body holds a voucher's code. */
export const formats: Record<string, Format> = {
  generic: {
    about: 'JSON signed by Standard Webhooks',
    signed: true,
    body: ({ type, createdAt, data }) => ({ type, timestamp: createdAt.toISOString(), data }),
  },
  slack: { about: 'Slack incoming webhook', signed: false, body: (event) => text(event, inertForSlack) },
  mattermost: { about: 'Mattermost incoming webhook', signed: false, body: (event) => text(event, inertForMattermost) },
  'rocket-chat': { about: 'Rocket.Chat incoming webhook', signed: false, body: (event) => text(event, inertForSlack) },
  discord: {
    about: 'Discord webhook',
    signed: false,
    body: (event) => ({ content: sentence(event, inertForMarkdown), allowed_mentions: { parse: [] } }),
  },
  teams: { about: 'Microsoft Teams, by a workflow of Power Automate', signed: false, body: card },
}

function text(event: Notification, inert: (name: string) => string): { text: string } {
  return { text: sentence(event, inert) }
}

/** What the template "post to a channel when a webhook request is received" takes. */
function card(event: Notification): object {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'TextBlock', text: sentence(event, inertForMarkdown), wrap: true }],
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}
