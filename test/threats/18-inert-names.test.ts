import { expect, test, vi } from 'vitest'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { languages } from '#domain/webhooks/event-types.ts'
import { formats } from '#domain/webhooks/formats.ts'
import type { Fact } from '#domain/webhooks/notification.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { hostileNames } from '#test/hostile-names.ts'
import { report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink, type WebhookSink } from '#test/network/webhook-sink.ts'
import { startService } from '#test/service.ts'

const gap = /\u200b/g
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const db = await createTestDatabase()
const api = await startService(db.url)
await startService(db.url, {}, 'worker')
const site = await seedControlledSite(db, await startSimulator())
const { key, id: keyId } = await seedKey(db, { scope: 'write' })
const sinks: Record<string, WebhookSink> = {}
for (const format of Object.keys(formats)) {
  const sink = await startWebhookSink()
  await addWebhook({ db, keyring: testKeyring }, testActor, { name: format, format, url: sink.url, siteIds: undefined })
  sinks[format] = sink
}

/** Gives this name to the site, the key and, if possible, the voucher. Returns the code and what each receiver got. */
async function createNamed(name: string): Promise<{ code: string; bodies: Record<string, string> }> {
  const stored = name.replaceAll('\0', '') // PostgreSQL cannot store null characters
  await db.query('update sites set name = $2 where id = $1', [site, stored])
  await db.query('update api_keys set name = $2 where id = $1', [keyId, stored])
  for (const sink of Object.values(sinks)) sink.received.length = 0
  const create = (voucher: string) =>
    call(`${api.url}/api/vouchers.php`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: JSON.stringify({ site_id: site, name: voucher }),
    })
  const asNamed = await create(name)
  const answer = asNamed.status === 400 ? await create('Gast') : asNamed // API v1 rejects this name
  expect(answer.status).toBe(201)
  await vi.waitFor(
    () => {
      for (const sink of Object.values(sinks)) expect(sink.received).toHaveLength(1)
    },
    { timeout: 20_000 },
  )
  const bodies = Object.entries(sinks).map(([format, sink]) => [format, sink.received[0]?.body ?? ''])
  return { code: answer.json().code, bodies: Object.fromEntries(bodies) }
}

/** The sentence that a person reads, without the characters that make it inert. */
const said = (name: string) => {
  const shown = name.replaceAll('\0', '').replace(unprintable, '\ufffd').replace(gap, '')
  return `1 Voucher erstellt: ${shown} (API: ${shown})`
}

function expectNoLinkNorMention(text: string): void {
  expect(text).not.toMatch(unprintable)
  expect(text).not.toMatch(/@(?!\u200b)/)
  expect(text).not.toMatch(/:\/\//)
  expect(text).not.toMatch(/[\p{L}\p{N}]\.\p{L}{2}/u) // www.evil.example
}

/** In Slack, all special text begins with `<` or `&`. */
function expectInertForSlack(text: string): string {
  expectNoLinkNorMention(text)
  expect(text).not.toMatch(/[<>]|&(?!(amp|lt|gt);)|\]\(/)
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Every Markdown character must have a backslash in front, except the two round brackets of the sentence itself. */
function expectInertMarkdown(text: string, signs: string): string {
  expectNoLinkNorMention(text)
  let [plain, bare] = ['', '']
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') {
      i++
      expect(signs).toContain(text[i])
    } else if (signs.includes(text[i] as string)) bare += text[i]
    plain += text[i]
  }
  expect(bare).toBe('()')
  return plain
}

const markdown = '\\`*_~|[](){}#!'

test(`${hostileNames.length} hostile names have no effect on any kind of receiver`, async () => {
  expect(hostileNames.length).toBeGreaterThanOrEqual(50)
  for (const name of hostileNames) {
    const { code, bodies } = await createNamed(name)
    const body = (format: string) => JSON.parse(bodies[format] as string)
    const whole = said(name)
    const entities = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

    expect(body('generic').data).toMatchObject({ site: name.replaceAll('\0', ''), count: 1 })
    expect(Object.keys(body('generic'))).toEqual(['type', 'timestamp', 'data'])
    for (const format of ['slack', 'rocket-chat', 'mattermost']) expect(Object.keys(body(format))).toEqual(['text'])
    expect(expectInertForSlack(body('slack').text).replace(gap, '')).toBe(whole)
    expect(expectInertForSlack(body('rocket-chat').text).replace(gap, '')).toBe(whole)
    expectInertForSlack(body('mattermost').text)
    expect(entities(expectInertMarkdown(body('mattermost').text, markdown)).replace(gap, '')).toBe(whole)
    const { content, ...discord } = body('discord')
    expect(discord).toEqual({ allowed_mentions: { parse: [] } })
    expect(expectInertMarkdown(content, `${markdown}<>`).replace(gap, '')).toBe(whole)
    const card = body('teams').attachments[0].content
    expect(expectInertMarkdown(card.body[0].text, `${markdown}<>`).replace(gap, '')).toBe(whole)
    expect(card.body[0].text).not.toMatch(/\{\{|\$\{/)
    expect(body('teams')).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            ...card,
            type: 'AdaptiveCard',
            body: [{ type: 'TextBlock', text: card.body[0].text, wrap: true }],
          },
        },
      ],
    })
    expect(Object.keys(card)).toEqual(['$schema', 'type', 'version', 'body'])
    for (const each of Object.values(bodies)) expect(each).not.toContain(code)
  }
  report('hostile names, kinds of receivers', [hostileNames.length, Object.keys(formats).length])
})

const since = '2026-11-14T12:00:00.000Z'

test.each<[string, (name: string) => Fact]>([
  ['controller', (controller) => ({ type: 'controller.reachable', data: { controller, since, until: since } })],
  [
    'site',
    (site) => ({ type: 'voucher.revoked', data: { site_id: 1, site, vouchers: [], reason: 'request' as const } }),
  ],
  [
    'site and key',
    (name) => {
      const batch = { batch_id: 'b', reference: name, made: 1, failed: 0, cancelled: 0 }
      return { type: 'batch.finished', data: { site_id: 1, site: name, source: `API: ${name}`, ...batch } }
    },
  ],
])('hostile names of a %s have no effect in other events either', (_, factOf) => {
  for (const name of hostileNames)
    for (const language of languages) {
      const event = { createdAt: new Date(), ...factOf(name) }
      const body = (format: string) => formats[format]?.body(event, language) as Record<string, string>

      expectInertForSlack(body('slack')['text'] ?? '<')
      expectInertMarkdown(body('discord')['content'] ?? '', `${markdown}<>`)
    }
})
