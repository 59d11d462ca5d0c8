import axe, { type Result } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { keepScreenshot } from './browser.ts'
import { isLong } from './measuring.ts'

type Width = 1440 | 900 | 390

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** Themes differ only in colours, and checking these rules takes a tenth of the time of all rules. */
const ofColours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

/**
 * Expects that a state of a page has no violation of WCAG 2.2 AA and nothing wider than the screen: light and dark, on a
 * wide screen and on a phone. Saves a picture of each. Something that closes when the width changes needs `widths` with one
 * width.
 */
export async function expectAccessible(
  page: Page,
  name: string,
  { widths = [1440, 390] as Width[] } = {},
): Promise<void> {
  for (const [width, colorScheme] of looks.filter(([width]) => widths.includes(width))) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await page.evaluate(untilStill)
    await keepScreenshot(page, `${name}.${colorScheme}.${width}`)
    const rules = colorScheme === 'light' ? { type: 'tag', values: tags } : ofColours
    const found = {
      violations: isLong || colorScheme === 'light' ? await listViolations(page, rules) : [],
      tooWide: await page.evaluate<string[]>(tooWide),
      cutOff: await page.evaluate<string[]>(cutOff),
    }
    expect(found, `${name}, ${colorScheme}, ${width} px`).toEqual({ violations: [], tooWide: [], cutOff: [] })
  }
}

/** Expects that the colours of a page have enough contrast, light and dark. `look` says in the message what the page shows. */
export async function expectContrast(page: Page, look: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(untilStill)
    expect(await listViolations(page, ofColours), `${look}, ${colorScheme}`).toEqual([])
  }
}

/** Like `expectAccessible`. Also expects that every action is reachable by keyboard on a wide screen and on a phone. */
export async function expectUsable(page: Page, name: string): Promise<void> {
  await expectAccessible(page, name)
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await page.evaluate(untilStill)
    await expectKeyboardReachesAll(page)
  }
}

/** For every commit two of the combinations are enough, and colours are checked in one of them. */
const looks = [
  [1440, 'light'],
  [390, 'dark'],
  ...(isLong
    ? ([
        [1440, 'dark'],
        [390, 'light'],
        [900, 'light'],
      ] as const)
    : []),
] as const

/**
 * Waits until all animations have ended, because a colour that is still changing is not a violation. A new colour
 * scheme takes effect in the next frame, and the fading begins in the frame after it. Endless animations, such as that
 * of a loader, do not count. The bars of the first page are replaced in the second step.
 */
const untilStill = `(async () => {
  while (document.querySelector('.first-page:not([data-for])')) await new Promise(requestAnimationFrame)
  const finite = () => document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
  do {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
    await Promise.all(finite().map((one) => one.finished.catch(() => {})))
  } while (finite().some(({ playState }) => playState === 'running'))
})()`

/** Violations of the page, a line for each element that breaks a rule. */
async function listViolations(page: Page, runOnly: { type: string; values: string[] }): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(`${axe.source}; 0`)
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  const violations = await page.evaluate<Result[]>(`axe.run(document, ${options}).then(({ violations }) => violations)`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** The elements that reach beyond an edge of the screen. A text that ends in "…" does not. */
const tooWide = `(() => {
  const { clientWidth } = document.documentElement
  const isShort = (one) => getComputedStyle(one).textOverflow === 'ellipsis' || (one.parentElement && isShort(one.parentElement))
  const isOutside = ({ left, right, width }) => width > 1 && (right > clientWidth + 1 || left < -1)
  return [...document.body.querySelectorAll('*')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && isOutside(one.getBoundingClientRect()) && !isShort(one))
    .map((one) => one.outerHTML.slice(0, 120))
})()`

/** Texts that people must see in full but that are partly hidden. */
const cutOff = `[...document.querySelectorAll('h1, h2, label, button, .mantine-Button-label, .mantine-SegmentedControl-label, [class*=code]')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && getComputedStyle(one).overflowX !== 'visible')
  .filter((one) => getComputedStyle(one).textOverflow !== 'ellipsis' && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 120))`

/**
 * Presses Tab through the page, or through its open dialog. Expects that the focus stops at everything that a mouse can
 * use, and that no bar covers it there. One stop is enough for a group of radio buttons: arrow keys do the rest.
 */
export async function expectKeyboardReachesAll(page: Page): Promise<void> {
  await page.evaluate(leaveField)
  await page.evaluate(untilStill) // the list of a field closes
  const count = await page.evaluate<number>(`${collectActions}; window.actions.length`)
  await page.evaluate(recordStop)
  for (let i = 0; i < count + 5; i++) {
    await page.keyboard.press('Tab')
    await page.evaluate(recordStop)
  }
  expect(await page.evaluate(listMissed)).toEqual({ missed: [], covered: [] })
}

/** Takes the focus from the field, except in a dialog, which must keep the focus. */
const leaveField = `document.activeElement?.[document.querySelector('[aria-modal=true]') ? 'scrollIntoViewIfNeeded' : 'blur']?.()`

/**
 * Everything visible that can be used, and everything else on which the mouse becomes a hand. Backspace in the field removes a
 * pill, so its button needs no stop of its own.
 */
const collectActions = `(() => {
  const usable = 'a[href], button, input, select, textarea, [role=button], [role=option]'
  const scope = [...document.querySelectorAll('[aria-modal=true]')].at(-1) ?? document.body
  const isVisible = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches(':disabled')
  const hasSize = (one) => one.clientWidth > 0 && one.clientHeight > 0
  const isHand = (one) => hasSize(one) && getComputedStyle(one).cursor === 'pointer' && !one.closest(usable + ', label, [data-disabled]') &&
    !one.querySelector('label') && !one.closest('fieldset:disabled')
  window.reached = new Set()
  window.covered = new Set()
  window.actions = [...scope.querySelectorAll('*')]
    .filter((one) => isVisible(one) && (one.matches(usable) || isHand(one)) && !one.closest('.mantine-Pill-remove'))
})()`

/** For a radio button without a size, its label is what people see. */
const recordStop = `(() => {
  const stop = document.activeElement
  window.reached.add(stop)
  const seen = [stop, ...(stop.labels ?? [])].find((one) => one.getBoundingClientRect().width > 1) ?? stop
  const { left, top, width, height } = seen.getBoundingClientRect()
  const isSeen = (x, y) => {
    const hit = document.elementFromPoint(left + width * x, top + height * y)
    return hit && (hit.contains(seen) || seen.contains(hit) || (stop.closest('label') ?? seen).contains(hit))
  }
  if (stop !== document.body && ![0.1, 0.5, 0.9].some((x) => [0.1, 0.5, 0.9].some((y) => isSeen(x, y))))
    window.covered.add(stop.outerHTML.slice(0, 200))
})()`

const listMissed = `(() => {
  const isReached = (one) => window.reached.has(one) ||
    (one.type === 'radio' && [...window.reached].some((other) => other?.type === 'radio' && other.name === one.name))
  const missed = window.actions.filter((one) => !isReached(one)).map((one) => one.outerHTML.slice(0, 200))
  return { missed, covered: [...window.covered] }
})()`
