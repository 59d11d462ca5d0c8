import { withoutLinks } from '#lib/without-links.ts'
import type { Language } from './event-types.ts'
import { type Notification, toPublicData } from './notification.ts'
import { sentence } from './sentences.ts'

type Format = { about: string; signed: boolean; body: (event: Notification, language: Language) => object }

/** The request body for each kind of receiver. Only the generic format is signed. No body contains a voucher's code. */
export const formats: Record<string, Format> = {
  generic: {
    about: 'JSON signed by Standard Webhooks',
    signed: true,
    body: (event) => ({ type: event.type, timestamp: event.createdAt.toISOString(), data: toPublicData(event) }),
  },
  slack: {
    about: 'Slack incoming webhook',
    signed: false,
    body: (event, language) => text(event, language, escapeForSlack),
  },
  mattermost: {
    about: 'Mattermost incoming webhook',
    signed: false,
    body: (event, language) => text(event, language, escapeForMattermost),
  },
  'rocket-chat': {
    about: 'Rocket.Chat incoming webhook',
    signed: false,
    body: (event, language) => text(event, language, escapeForSlack),
  },
  discord: {
    about: 'Discord webhook',
    signed: false,
    body: (event, language) => ({
      content: sentence(event, language, escapeForMarkdown),
      allowed_mentions: { parse: [] },
    }),
  },
  teams: { about: 'Microsoft Teams, by a workflow of Power Automate', signed: false, body: card },
}

function text(event: Notification, language: Language, escapeName: (name: string) => string): { text: string } {
  return { text: sentence(event, language, escapeName) }
}

/** The message that the Power Automate template "post to a channel when a webhook request is received" expects. */
function card(event: Notification, language: Language): object {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'TextBlock', text: sentence(event, language, escapeForMarkdown), wrap: true }],
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
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

function withEntities(name: string): string {
  return name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function withBackslashes(name: string, signs: RegExp): string {
  return name.replace(signs, '\\$&')
}
