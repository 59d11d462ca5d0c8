import i18next from 'i18next'
import { beforeEach, expect, test } from 'vitest'
import { addTexts, initTexts } from '../../i18n/i18n.ts'
import { attentionLines } from './attention-lines.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

await initTexts('en')
addTexts({ de, en })
beforeEach(() => i18next.changeLanguage('en'))

const formats = { since: () => '20:41', number: String } as never
const failing = {
  failing_since: '2026-11-19T20:41:00.000Z',
  failure: 'not_now',
  message: 'The mail server cannot do this now.',
  answer: '421 Not now',
  waiting: 12,
}
const linesFor = (mail: object | null) =>
  attentionLines({ t: i18next.t, formats, isAdmin: true }, {
    worker_running: true,
    controllers: [],
    mail,
    webhooks: [],
    keys: [],
    batches: [],
    unrecorded: [],
  } as never)

test('a failing mail server: since when, how many messages wait, why, and a link to its test', () => {
  expect(linesFor(failing)).toMatchObject([
    {
      tone: 'bad',
      title: 'The mail server has not accepted messages since 20:41',
      detail: '12 messages wait. The mail server cannot do this now. The answer was: 421 Not now',
      link: { to: '/settings', search: { tab: 'email' } },
    },
  ])
  expect(linesFor({ ...failing, answer: null, waiting: 1 })[0]?.detail).toBe(
    '1 message waits. The mail server cannot do this now.',
  )
  expect(linesFor(null)).toEqual([])
})

const noMatters = {
  worker_running: true,
  controllers: [],
  mail: null,
  webhooks: [],
  keys: [],
  batches: [],
  unrecorded: [],
}
const linesOf = (matters: object, isAdmin = true) =>
  attentionLines({ t: i18next.t, formats: { ...(formats as object), daysUntil: () => 3 } as never, isAdmin }, {
    ...noMatters,
    ...matters,
  } as never)
const controller = (id: string, problem: string, site_count = 2) => ({
  ...{ id, name: `C-${id}`, problem, site_count, site: `Site ${id}`, site_id: 7, since: null },
})
const webhook = (id: string) => ({ id, name: id, failing_since: 'x', disabled_at: null, undelivered: 2 })
const key = (id: string, change: object) => ({
  id,
  name: id,
  limited: 0,
  expires_at: null,
  last_used_at: null,
  ...change,
})

test('a line for each matter, the worst first', () => {
  const lines = linesOf({
    worker_running: false,
    controllers: [
      controller('a', 'certificate'),
      controller('b', 'unreachable', 1),
      controller('c', 'of a newer service'),
    ],
    mail: failing,
    webhooks: [{ ...webhook('w'), disabled_at: 'x' }],
    keys: [key('k', { limited: 5, expires_at: 'x' })],
    batches: [{ site_id: 7, id: '7-b', site: 'Adler', held_up_since: 'x' }],
    unrecorded: [{ site_id: 7, site: 'Adler', vouchers: 4 }],
  })

  expect(lines.map(({ title, detail, link }) => [title, detail, link])).toEqual([
    ['No worker is running', expect.stringContaining('voucher-service worker'), undefined],
    ['1 controller is unreachable', '1 site · Site b', { to: '/sites/$siteId', params: { siteId: '7' } }],
    ['1 controller shows an untrusted certificate', '2 sites · C-a', linkTo('a')],
    ['1 controller cannot be synced', '2 sites · C-c', linkTo('c')],
    [expect.stringContaining('The mail server'), expect.any(String), { to: '/settings', search: { tab: 'email' } }],
    ['Webhook “w” is disabled', '2 events not delivered since 20:41', { to: '/webhooks', search: { webhook: 'w' } }],
    [
      '1 list of vouchers waits for its controller',
      'Adler since 20:41',
      { to: '/desk', search: { site: 7, many: '7-b' } },
    ],
    ['API key “k” reaches its limit', '5 requests rejected today', { to: '/keys', search: { key: 'k' } }],
    ['API key “k” expires in 3 days', 'Never used', { to: '/keys', search: { key: 'k' } }],
    ['1 site has vouchers that are not recorded', 'Adler (4)', { to: '/sites/$siteId', params: { siteId: '7' } }],
  ])
})

const linkTo = (controllerId: string) => ({ to: '/sites/controllers/$controllerId', params: { controllerId } })

test('a manager, who has no page of a controller, sees its sites', () => {
  expect(linesOf({ controllers: [controller('a', 'failing')] }, false)[0]?.link).toEqual({
    to: '/sites',
    search: { controller: 'a' },
  })
})

test('controllers with one problem share a line, and so do more than three webhooks or keys', () => {
  const four = ['a', 'b', 'c', 'd']
  const lines = linesOf({
    controllers: four.map((id) => controller(id, 'unreachable')),
    webhooks: four.map(webhook),
    keys: four.map((id) => key(id, { expires_at: 'x' })),
  })

  expect(lines.map(({ title, detail }) => [title, detail])).toEqual([
    ['4 controllers are unreachable', '8 sites · C-a, C-b, C-c and 1 other'],
    ['4 webhooks fail', 'a, b, c and 1 other'],
    ['4 API keys expire soon', 'a, b, c and 1 other'],
  ])
  expect(linesOf({ webhooks: ['a', 'b', 'c'].map(webhook) })).toHaveLength(3)
})

test('the same in German', async () => {
  await i18next.changeLanguage('de')

  expect(linesFor(failing)[0]).toMatchObject({
    title: 'Der Mailserver nimmt keine Nachrichten an seit 20:41',
    detail: expect.stringMatching(/^12 Nachrichten warten\. .* Die Antwort war: 421 Not now$/),
  })
})
