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

test('the same in German', async () => {
  await i18next.changeLanguage('de')

  expect(linesFor(failing)[0]).toMatchObject({
    title: 'Der Mailserver nimmt keine Nachrichten an seit 20:41',
    detail: expect.stringMatching(/^12 Nachrichten warten\. .* Die Antwort war: 421 Not now$/),
  })
})
