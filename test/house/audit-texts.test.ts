import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * The actions in a source that records some: texts such as `site.changed`. If a template makes the action, such as
 * `voucher.surplus_…`, only its beginning is found. The type of a notification, such as `type: 'webhook.test'`, is not an action.
 */
function actionsIn(source: string): string[] {
  if (!source.includes('recordAudit')) return []
  const whole = [...source.matchAll(/(?<!type: )'([a-z]+\.[a-z_]+)'/g)].map(([, action]) => action as string)
  const beginnings = [...source.matchAll(/`([a-z]+\.[a-z_]+)\$\{/g)].map(([, beginning]) => `${beginning}…`)
  return [...whole, ...beginnings]
}

const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
const actions = new Set(sources.flatMap((path) => actionsIn(readFileSync(root + path, 'utf8'))))

test.each(['en', 'de'])('every action that is recorded has a sentence on the audit page: %s', (language) => {
  const { audit } = JSON.parse(readFileSync(`${root}web/src/pages/audit/${language}.json`, 'utf8'))
  const texts = Object.keys(audit).map((name) => name.replace(/_(one|other)$/, ''))
  const hasText = (action: string) => {
    const name = `did-${action.replace('.', '-')}`
    return name.endsWith('…') ? texts.some((text) => text.startsWith(name.slice(0, -1))) : texts.includes(name)
  }

  expect(actions.size).toBeGreaterThan(30)
  expect([...actions].filter((action) => !hasText(action))).toEqual([])
})

test('actions are found in calls, arguments, choices and templates', () => {
  const planted = `recordAudit(tx, { action: 'a.one' }); store(tx, 'a.two_b'); x ? 'a.three' : \`a.four_\${x}\`; { type: 'a.five' }`

  expect(actionsIn(planted)).toEqual(['a.one', 'a.two_b', 'a.three', 'a.four_…'])
})
