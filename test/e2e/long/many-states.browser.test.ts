import { describe, expect, test } from 'vitest'
import { expectAccessible, expectUsable } from '#test/axe.ts'
import { pasteInto } from '../paste-into.ts'
import type { Language } from '../words.ts'
import { answer, failure, hold, namesIn, startDesks } from './desk-for-states.ts'

const { openAs } = await startDesks()
const id = '1-019a83c5-7c1e-7e0a-9c55-0d8a3bb1f7e2'
const now = Date.now()

const batch = {
  id,
  site_id: 1,
  state: 'running',
  size: 50,
  waiting: 37,
  under_way: 1,
  made: 12,
  failed: 0,
  cancelled: 0,
  reference: null as string | null,
  max_uses: 2,
  expire_minutes: 4320,
  qos: { down_kbps: 0, up_kbps: 0, quota_mb: 0 },
  valid_until: null,
  extendable_until: null,
  unused_days: null,
  created_at: new Date(now - 60_000).toISOString(),
  held_up_since: null as string | null,
  held_up_until: null as string | null,
  finished_at: null as string | null,
  created_by: { kind: 'staff', id: '019a83c5-7c1e-7e0a-9c55-0d8a3bb1f7e2', name: 'Anna' },
}

const row = (number: number, outcome: string, name: string, failed: string | null = null) => ({
  number,
  name,
  outcome,
  failure: failed,
  voucher_id: outcome === 'made' ? `1-019a83c5-7c1e-7e0a-9c55-${String(number).padStart(12, '0')}` : null,
  code: outcome === 'made' ? '4827391056' : null,
  formatted_code: outcome === 'made' ? '48273-91056' : null,
})

/** The desk with this batch open. */
async function openBatch(language: Language, changes: Partial<typeof batch>, outcomes: [string, string?][]) {
  const desk = await openAs(language)
  const shown = { ...batch, ...changes }
  const rows = outcomes.map(([outcome, failed], index) => row(index + 1, outcome, desk.guest, failed ?? null))
  await answer(desk.page, '/batches', { json: { batches: [shown], next_cursor: null } })
  await answer(desk.page, `/batches/${id}`, { json: shown })
  await answer(desk.page, `/batches/${id}/rows`, { json: { rows, next_cursor: null } })
  await desk.page.goto(`/desk?many=${id}`)
  return desk
}

const repeat = (count: number, ...outcome: [string, string?]) => Array<[string, string?]>(count).fill(outcome)

/** 34 guests, as a spreadsheet copies them. Lines 5 and 7 are wrong, and lines 14 and 29 are the same. */
function tableOf(language: Language, longName: string): string {
  const day = (days: number) => {
    const date = new Date(now + days * 86_400_000)
    return `${date.getUTCDate()}.${date.getUTCMonth() + 1}.`
  }
  const header = language === 'de' ? 'Name\tZimmer\tbis\tGeräte\tE-Mail' : 'Name\tRoom\tUntil\tDevices\tE-mail'
  const first = [
    `Familie Huber\t204\t${day(2)}\t4\thuber@web.example`,
    `Brandt\t206\t${day(2)}\t2\t`,
    `Dr. Henkel\t207\t${day(1)}\t2\ts.henkel@praxis.example`,
    'Okafor\t208\t31.11.\t2\tokafor@mail.example',
    `${longName}\t210\t${day(3)}\t2\tp.devries@post.example`,
    `Moretti\t305\t${day(2)}\tviele\tmoretti@mail.example`,
    `Familie Yıldız\t311\t${day(7)}\t4\t`,
  ]
  const others = Array.from(
    { length: 27 },
    (_, i) => `${i === 5 || i === 20 ? 'Kern\t501' : `Gast ${i}\t${400 + i}`}\t3 days\t\t`,
  )
  return [header, ...first, ...others].join('\n')
}

describe.each(['en', 'de'] as const)('many vouchers in %s', (language) => {
  test('the form with duplicate names, and with a wrong count', async () => {
    const { page, t } = await openAs(language)
    await page.goto('/desk?many=new')
    await page.getByLabel(t('desk.for-whom')).fill([...Array(3).fill(namesIn[language].guest), 'Huber'].join('\n'))
    await page.getByText(t('many.doubles_other', { count: 2, name: namesIn[language].guest })).waitFor()
    await expectUsable(page, `many doubles.${language}`)
    await page.getByText(t('many.by-count'), { exact: true }).click()
    await page.getByLabel(t('many.count')).fill('0')
    await page.getByRole('button', { name: t('desk.create') }).click()
    await page.getByText(t('many.wrong-count', { most: language === 'de' ? '1.000' : '1,000' })).waitFor()
    await expectUsable(page, `many count.${language}`)
  })

  test('a pasted table with errors, a cell that is edited, all rows wrong, and too many rows', async () => {
    const { page, t, guest } = await openAs(language)
    await page.goto('/desk?many=new')
    await pasteInto(page.getByLabel(t('desk.for-whom')), tableOf(language, guest))
    await page.getByText(t('many.left-out_other', { count: 2 })).waitFor()
    await expectUsable(page, `many table.${language}`)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.keyboard.press('Control+.')
    await page.getByRole('textbox', { name: t('many.cell', { line: 5, column: t('many.kind-until') }) }).waitFor()
    await expectAccessible(page, `many table edited.${language}`)
    await page.keyboard.press('Escape')
    await page.getByLabel(t('many.column', { number: 1 })).selectOption('ignore')
    await page.getByText(t('many.no-name-column')).waitFor()
    await expectUsable(page, `many table without names.${language}`)
    await page.getByRole('button', { name: t('many.as-text') }).click()
    await page.getByRole('button', { name: t('many.as-table') }).waitFor()
    await expectUsable(page, `many table as text.${language}`)

    await page.getByLabel(t('desk.for-whom')).fill('')
    await pasteInto(
      page.getByLabel(t('desk.for-whom')),
      Array.from({ length: 1_005 }, (_, i) => `${guest};${i};31.11.`).join('\n'),
    )
    await page.getByText(t('many.wrong-too-many', { most: language === 'de' ? '1.000' : '1,000', over: 5 })).waitFor()
    await expectAccessible(page, `many table too long.${language}`)
  })

  test('running, held up, and settling', async () => {
    const running = await openBatch(language, {}, [...repeat(12, 'made'), ['under_way'], ...repeat(37, 'waiting')])
    await running.page.getByText(running.t('many.goes-on')).waitFor()
    await running.page.getByText(running.t('many.row-under_way')).waitFor()
    await expectUsable(running.page, `many running.${language}`)

    const since = new Date(now - 60_000).toISOString()
    const until = new Date(now + 540_000).toISOString()
    const held = { under_way: 0, waiting: 38, held_up_since: since, held_up_until: until }
    const stalled = await openBatch(language, held, [...repeat(12, 'made'), ...repeat(38, 'waiting')])
    const [before = ''] = stalled.t('many.held-up', { time: '|' }).split(' |')
    await stalled.page.getByText(before).waitFor()
    expect(await stalled.page.getByRole('main').innerText()).toMatch(/ \d\d:\d\d\./)
    await expectUsable(stalled.page, `many held up.${language}`)

    const settling = await openBatch(language, { held_up_since: since }, [...repeat(12, 'made'), ['under_way']])
    await settling.page.getByText(settling.t('many.settling')).waitFor()
    await expectUsable(settling.page, `many settling.${language}`)
  })

  test('after a stop the page does not promise the vouchers that were not started', async () => {
    const rows = [...repeat(12, 'made'), ['under_way'], ...repeat(37, 'cancelled')] as Parameters<typeof openBatch>[2]
    const stopping = await openBatch(language, { waiting: 0, cancelled: 37 }, rows)
    await stopping.page.getByText(stopping.t('many.stopping')).waitFor()

    expect(await stopping.page.getByText(stopping.t('many.goes-on')).count()).toBe(0)
    await expectUsable(stopping.page, `many stopping.${language}`)
  })

  test('partly failed, stopped, and nothing created', async () => {
    const finished_at = new Date(now).toISOString()
    const over = { waiting: 0, under_way: 0, finished_at }
    const partial = await openBatch(language, { ...over, state: 'done', made: 47, failed: 3 }, [
      ...repeat(47, 'made'),
      ...repeat(3, 'failed', 'unreachable'),
    ])
    await partial.page.getByText(partial.t('many.why-unreachable')).waitFor()
    await partial.page.getByText(partial.t('many.no-voucher-for-these')).waitFor()
    await expectUsable(partial.page, `many partial.${language}`)

    const stopped = await openBatch(language, { ...over, state: 'cancelled', cancelled: 38 }, [
      ...repeat(12, 'made'),
      ...repeat(38, 'cancelled'),
    ])
    await stopped.page.getByText(stopped.t('many.stopped', { made: 12, rest: 38 })).waitFor()
    await expectUsable(stopped.page, `many stopped.${language}`)

    const none = await openBatch(language, { ...over, state: 'done', size: 2, made: 0, failed: 2 }, [
      ['failed', 'no_voucher'],
      ['failed', 'from a later version'],
    ])
    await none.page.getByText(none.t('many.none-found-for-these')).waitFor()
    await expectUsable(none.page, `many none.${language}`)

    const unread = await openBatch(language, { ...over, state: 'done', made: 12 }, repeat(12, 'made'))
    await answer(unread.page, `/batches/${id}/rows`, failure(500, 'internal_error'))
    await unread.page.reload()
    await unread.page.getByRole('alert').first().waitFor()
    await expectUsable(unread.page, `many without rows.${language}`)
  })

  test('the connection ended, and the service rejected the list', async () => {
    const { page, t } = await openAs(language)
    await page.goto('/desk?many=new')
    await answer(page, '/batches', failure(400, 'invalid_request'), 'POST')
    await page.getByLabel(t('desk.for-whom')).fill('Huber')
    await page.keyboard.press('Control+Enter')
    await page.getByText(t('many.rejected')).waitFor()
    await expectUsable(page, `many rejected.${language}`)

    await page.unrouteAll()
    await page.route(/\/api\/v2\/batches$/, (route) => route.abort())
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: t('many.create_one', { count: 1 }) }).click()
    await page.getByText(t('many.lost')).first().waitFor()
    await hold(page, '/batches', 'POST')
    await expectUsable(page, `many lost.${language}`)
  })
})
