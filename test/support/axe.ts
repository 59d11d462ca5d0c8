import axe, { type Result } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { keepScreenshot } from './browser.ts'
import { isLong } from './measuring.ts'

type Width = 1440 | 900 | 390

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/**
 * Expects that a state of a page has no violation of WCAG 2.2 AA and nothing wider than the screen: light and dark, on a wide
 * screen and on a phone. Leaves a picture of each. Something that closes when the width changes needs `widths` with one width.
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
    const found = { violations: await listViolations(page), tooWide: await page.evaluate<string[]>(tooWide) }
    expect(found, `${name}, ${colorScheme}, ${width} px`).toEqual({ violations: [], tooWide: [] })
  }
}

/** Two of the four looks are enough on every commit. */
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

/** Colours that are still changing are no violation. Endless animations, such as of a loader, do not count. */
const untilStill = `Promise.all(document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
  .map((one) => one.finished.catch(() => {}))).then(() => new Promise(requestAnimationFrame)).then(() => {})`

/** Violations of the page, a line for each element that breaks a rule. */
async function listViolations(page: Page): Promise<string[]> {
  await page.evaluate(`${axe.source}; 0`)
  const options = JSON.stringify({ runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] })
  const violations = await page.evaluate<Result[]>(`axe.run(document, ${options}).then(({ violations }) => violations)`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** The elements that reach beyond the right edge, if the page can be scrolled sideways. */
const tooWide = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth <= clientWidth) return []
  const wide = [...document.body.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > clientWidth)
  return [scrollWidth + ' px', ...wide.map((one) => one.outerHTML.slice(0, 120))]
})()`

/**
 * Presses Tab through the page, or through its open dialog, and expects that it stops at everything that a mouse can use. One
 * stop is enough for a group of radio buttons: arrow keys do the rest.
 */
export async function expectKeyboardReachesAll(page: Page): Promise<void> {
  const count = await page.evaluate<number>(
    `${collectActions}; document.activeElement?.blur?.(); window.actions.length`,
  )
  for (let i = 0; i < count + 5; i++) {
    await page.keyboard.press('Tab')
    await page.evaluate('window.reached.add(document.activeElement)')
  }
  expect(await page.evaluate<string[]>(listMissed)).toEqual([])
}

/** Everything visible that can be used, and everything else on which the mouse becomes a hand. */
const collectActions = `(() => {
  const usable = 'a[href], button, input, select, textarea, [role=button], [role=option]'
  const scope = [...document.querySelectorAll('[aria-modal=true]')].at(-1) ?? document.body
  const isVisible = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled
  const isHand = (one) => getComputedStyle(one).cursor === 'pointer' && !one.closest(usable + ', label, [data-disabled]')
  window.reached = new Set()
  window.actions = [...scope.querySelectorAll('*')].filter((one) => isVisible(one) && (one.matches(usable) || isHand(one)))
})()`

const listMissed = `(() => {
  const isReached = (one) => window.reached.has(one) ||
    (one.type === 'radio' && [...window.reached].some((other) => other?.type === 'radio' && other.name === one.name))
  return window.actions.filter((one) => !isReached(one)).map((one) => one.outerHTML.slice(0, 200))
})()`
