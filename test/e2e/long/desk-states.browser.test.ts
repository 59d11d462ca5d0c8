import { expect, test } from 'vitest'
import { expectAccessible, expectKeyboardReachesAll, expectUsable } from '#test/axe.ts'
import { answer, answerWithVoucher, create, failure, hold, type StateDesk, startDesks } from './desk-for-states.ts'

const { openDesk } = await startDesks()

type State = (desk: StateDesk) => Promise<unknown>

const rowOf = ({ page, t }: StateDesk, text: string) =>
  page
    .getByRole('region', { name: t('desk.recent') })
    .getByRole('button')
    .filter({ hasText: text })

/** The code of a used voucher, whose minutes end tomorrow. */
const used = '46740-28861'

/** Opens a voucher of the list, and one of its dialogs. */
async function change(desk: StateDesk, action: string, code = '93685-87509'): Promise<void> {
  await rowOf(desk, code).click()
  await desk.page.getByRole('button', { name: desk.t(action) }).click()
  await desk.page.getByRole('dialog').waitFor()
}

/** Presses the card *Customise*, or with many templates its place in the list. */
async function customise({ page, t }: StateDesk): Promise<void> {
  const all = page.getByRole('button', { name: t('desk.all-templates') })
  if (await all.isVisible()) {
    await all.click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('desk.custom') })
      .click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  } else await page.getByRole('radio', { name: t('desk.custom') }).check({ force: true })
  await page.getByLabel(t('desk.fewer')).waitFor()
}

async function check(desk: StateDesk, found: object, words: string): Promise<void> {
  const { page, t } = desk
  const region = page.getByRole('region', { name: t('desk.check') })
  await answer(page, '/vouchers/lookup', { json: found })
  await region.getByLabel(t('desk.check')).fill('93685-87509')
  await region.getByRole('button').click()
  await region.getByText(words).first().waitFor()
}

const noneFound = { vouchers: [], on_controller_only: [], fresh: true, synced_at: null }

/** The first voucher of the list becomes a stay that ends in three days and can be extended by this many days. */
async function answerWithStay({ page }: StateDesk, roomDays: number): Promise<void> {
  const { vouchers } = await page.evaluate<{ vouchers: { id: string }[] }>(
    `fetch('/api/v2/vouchers?limit=1').then((answer) => answer.json())`,
  )
  const path = `/vouchers/${vouchers[0]?.id}`
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const ends_at = inDays(3)
  await answer(page, path, { json: { ...vouchers[0], valid_until: ends_at, ends_at } })
  const proposed = (days: number) => ({
    valid_until: inDays(3 + days),
    days,
    direction: days < 0 ? 'earlier' : 'later',
    error: days > roomDays ? 'valid_until_too_late' : null,
  })
  await page.route(new RegExp(`/api/v2${path}/ends`), (route) =>
    route.fulfill({
      json: {
        time_zone: 'Europe/Vienna',
        ends_at,
        latest_valid_until: inDays(3 + roomDays),
        ends: [1, 2, 7, ...(route.request().url().includes('until=') ? [-1] : [])].map(proposed),
      },
    }),
  )
}

/** A voucher of the list as the answer to the check of a code. */
const foundVoucher = async ({ page }: StateDesk, status: string) => {
  const { vouchers } = await page.evaluate<{ vouchers: object[] }>(
    `fetch('/api/v2/vouchers?limit=1').then((answer) => answer.json())`,
  )
  return { ...noneFound, vouchers: [{ ...vouchers[0], status }] }
}

const states: Record<string, State> = {
  form: async () => {},
  'name missing': async ({ page, t }) => {
    await page.keyboard.press('Enter')
    await page.getByText(t('desk.wrong-name')).waitFor()
  },
  customise: async (desk) => {
    await customise(desk)
    await desk.page.getByRole('button', { name: desk.t('desk.more-limits') }).click()
    await desk.page.getByLabel(desk.t('desk.reference')).waitFor()
  },
  'customise wrong': async (desk) => {
    const { page, t } = desk
    await customise(desk)
    await page.getByLabel(t('desk.for-whom')).fill(desk.guest)
    await page.getByLabel(t('desk.amount'), { exact: true }).fill('')
    await page.keyboard.press('Enter')
    await page.getByText(t('desk.wrong-amount')).waitFor()
  },
  until: async (desk) => {
    await customise(desk)
    await desk.page.getByText(desk.t('desk.unit-until')).click()
    await desk.page.getByText('Europe/Vienna').waitFor()
  },
  creating: async (desk) => {
    await hold(desk.page, '/vouchers', 'POST')
    await create(desk)
    await desk.page.locator('button[data-loading]').waitFor()
  },
  result: async (desk) => {
    await answerWithVoucher(desk, { name: desk.guest })
    await create(desk)
    await desk.page.getByText('48273-91056').first().waitFor()
  },
  none: async (desk) => {
    await answer(desk.page, '/vouchers', failure(503, 'controller_unreachable', { 'voucher-outcome': 'none' }), 'POST')
    await create(desk)
    await desk.page.getByText(desk.t('desk.controller-unreachable')).waitFor()
  },
  'finding out': async (desk) => {
    await answer(desk.page, '/vouchers', failure(504, 'outcome_unknown', { 'voucher-outcome': 'unknown' }), 'POST')
    await answer(desk.page, '/vouchers/outcome', { json: { outcome: 'running', voucher: null } })
    await create(desk)
    await desk.page.getByText(desk.t('desk.row-open')).waitFor()
  },
  'finding out without a connection': async (desk) => {
    await desk.page.route(/\/api\/v2\/vouchers(\/outcome)?$/, (route) => route.abort())
    await create(desk)
    await desk.page.getByText(desk.t('desk.lost')).waitFor()
    await desk.page
      .getByText(desk.t('desk.offline-since').split(' · ')[0] as string)
      .first()
      .waitFor()
  },
  'next guest meanwhile': async (desk) => {
    await states['finding out']?.(desk)
    await desk.page.getByRole('button', { name: desk.t('desk.next-meanwhile') }).click()
    await desk.page.getByLabel(desk.t('desk.for-whom')).fill('Zimmer 7')
  },
  'too many requests': async (desk) => {
    await answer(desk.page, '/vouchers', failure(429, 'rate_limited', { 'retry-after': '90' }), 'POST')
    await create(desk)
    await desk.page.getByText(desk.t('desk.limited')).first().waitFor()
  },
  'no right': async (desk) => {
    await answer(desk.page, '/vouchers', failure(403, 'role_missing'), 'POST')
    await create(desk)
    await desk.page.getByText(desk.t('errors.no-right-text')).waitFor()
  },
  'signed out': async (desk) => {
    // For real: the page asks for the session again, and the dialog would close.
    await desk.endSession()
    await create(desk)
    await desk.page.getByRole('dialog', { name: desk.t('sign-in.ended') }).waitFor()
    expect(await desk.page.getByLabel(desk.t('desk.for-whom')).inputValue()).toBe(desk.guest)
  },
  voucher: async (desk) => {
    await rowOf(desk, '93685-87509').click()
    await desk.page.getByRole('button', { name: desk.t('desk.revoke') }).waitFor()
  },
  'voucher ended': async (desk) => {
    await rowOf(desk, '90157-96396').click()
    await desk.page.getByText(desk.t('desk.over')).waitFor()
  },
  extend: async (desk) => {
    await answerWithStay(desk, 8)
    await change(desk, 'desk.extend')
    await desk.page.getByText(desk.t('extend.longer-1')).waitFor()
  },
  'extend with little room': async (desk) => {
    await answerWithStay(desk, 3)
    await change(desk, 'desk.extend')
    await desk.page.getByText(desk.t('extend.chip-too-late', { chip: '' }).trim()).waitFor()
  },
  'extend to an earlier date': async (desk) => {
    await states['extend']?.(desk)
    await desk.page.keyboard.press('4')
    await desk.page.getByText('Europe/Vienna').waitFor()
    await desk.page.getByText(desk.t('extend.would-be-earlier-why')).waitFor()
  },
  'extend after a colleague': async (desk) => {
    await states['extend']?.(desk)
    await answer(desk.page, '/vouchers/[^/]+', failure(409, 'valid_until_not_later'), 'PATCH')
    await desk.page.keyboard.press('Enter')
    await desk.page.getByText(desk.t('extend.changed')).waitFor()
  },
  'extend an unused voucher': async (desk) => {
    await change(desk, 'desk.extend')
    await desk.page.getByText(desk.t('extend.nothing')).waitFor()
  },
  'end by': async (desk) => {
    await states['extend an unused voucher']?.(desk)
    await desk.page.getByRole('button', { name: desk.t('extend.end-by') }).click()
    await desk.page.getByText('Europe/Vienna').waitFor()
    await desk.page.getByText(desk.t('extend.online')).waitFor()
  },
  'end earlier': async (desk) => {
    await states['extend']?.(desk)
    await desk.page.getByRole('button', { name: desk.t('extend.end-earlier') }).click()
    await desk.page.getByText('Europe/Vienna').waitFor()
    await desk.page.getByText(desk.t('extend.earlier-1')).waitFor()
  },
  'second code': async (desk) => {
    await change(desk, 'desk.extend', used)
    await desk.page.getByRole('button', { name: desk.t('extend.submit-second') }).waitFor()
  },
  revoke: (desk) => change(desk, 'desk.revoke'),
  'revoke failed': async (desk) => {
    await answer(desk.page, '/vouchers/[^/]+', failure(503, 'unavailable'), 'DELETE')
    await change(desk, 'desk.revoke')
    await desk.page.getByRole('button', { name: desk.t('desk.revoke-submit') }).click()
    await desk.page.getByRole('alert').waitFor()
  },
  'check missing': async ({ page, t }) => {
    await page.getByRole('button', { name: t('desk.check-submit') }).click()
    await page.getByText(t('desk.check-missing')).waitFor()
  },
  'check valid': async (desk) => check(desk, await foundVoucher(desk, 'valid'), desk.t('desk.check-fresh')),
  'check used': async (desk) => check(desk, await foundVoucher(desk, 'used'), desk.t('desk.status-used')),
  'check revoked, controller silent': async (desk) => {
    const found = { ...(await foundVoucher(desk, 'revoked')), fresh: false, synced_at: '2026-11-15T10:00:00.000Z' }
    await check(desk, found, desk.t('desk.status-revoked'))
  },
  'check foreign': (desk) => {
    const others = [{ site_id: 1, status: 'expired' }]
    return check(desk, { ...noneFound, on_controller_only: others }, desk.t('desk.check-foreign'))
  },
  'check none': (desk) => check(desk, { ...noneFound, fresh: false }, desk.t('check.none-here')),
  'check failed': async (desk) => {
    await desk.page.route(/lookup/, (route) => route.abort())
    const region = desk.page.getByRole('region', { name: desk.t('desk.check') })
    await region.getByLabel(desk.t('desk.check')).fill('93685-87509')
    await region.getByRole('button').click()
    await region.getByRole('alert').waitFor()
  },
  keys: async ({ page, t }) => {
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('Shift+?')
    await page.getByRole('dialog', { name: t('shortcuts.title') }).waitFor()
  },
}

for (const language of ['de', 'en'] as const)
  test.for(Object.entries(states))(`the desk: %s, in ${language}`, async ([name, open]) => {
    const desk = await openDesk(language)
    await open(desk)

    await expectUsable(desk.page, `desk ${name}.${language}`)
    await desk.page.context().close()
  })

/** These states close when the width changes, so they are opened again for each width. */
const menus: Record<string, State> = {
  'until calendar': async (desk) => {
    await states['until']?.(desk)
    await desk.page.getByLabel(desk.t('desk.until-label')).click()
    await desk.page.locator('table').waitFor()
  },
  'print menu': async (desk) => {
    await states['result']?.(desk)
    await desk.page.getByRole('button', { name: desk.t('print.options') }).click()
    await desk.page.getByRole('menu').waitFor()
  },
}

for (const [name, open] of Object.entries(menus))
  test.each([1440, 390] as const)(`the desk: ${name} at %i px`, async (width) => {
    const desk = await openDesk('de')
    await desk.page.setViewportSize({ width, height: 900 })
    await open(desk)

    await expectAccessible(desk.page, `desk ${name}.de`, { widths: [width] })
    await desk.page.context().close()
  })

test('the desk: all templates, which a list with a search shows', async () => {
  const desk = await openDesk('en')
  await desk.page.getByRole('button', { name: desk.t('desk.all-templates') }).click()
  await desk.page.getByRole('dialog').waitFor()
  await expectUsable(desk.page, 'desk all templates.en')
  await desk.page.getByLabel(desk.t('desk.search-template')).fill('nothing like this')
  await desk.page.getByText(desk.t('desk.no-template-found')).waitFor()

  await expectAccessible(desk.page, 'desk no template found.en')
})

test('the desk: More on a phone', async () => {
  const { page, t } = await openDesk('de')
  await page.setViewportSize({ width: 390, height: 900 })
  await page.getByRole('button', { name: t('nav.more') }).click()
  await page.getByRole('dialog').waitFor()

  await expectAccessible(page, 'desk more.de', { widths: [390] })
  await expectKeyboardReachesAll(page)
})
