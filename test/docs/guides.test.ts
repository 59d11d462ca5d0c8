import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const guides = [
  { page: 'docs/desk-guide.md', language: 'en' },
  { page: 'docs/administrator-guide.md', language: 'en' },
  { page: 'docs/de/desk.md', language: 'de' },
  { page: 'docs/de/get-started.md', language: 'de' },
]

/** Every text of the web app, without the dots of a button that opens a dialog. */
function textsOf(language: string): Set<string> {
  const texts = globSync(`web/src/**/${language}.json`, { cwd: root }).flatMap((path) =>
    leavesOf(JSON.parse(read(path))),
  )
  return new Set(texts.map((text) => text.replace(/ ?…$/, '').replace(/^\{\{count\}\} /, '')))
}

function leavesOf(value: unknown): string[] {
  return typeof value === 'string' ? [value] : Object.values(value as object).flatMap(leavesOf)
}

/** Names of buttons, fields and pages: bold text that is not a sentence. `Settings → Staff` names two. */
function labelsIn(text: string): string[] {
  const bold = [...text.matchAll(/\*\*([^*\n]+)\*\*/g)].map(([, label]) => label as string)
  return bold.filter((label) => !label.endsWith('.')).flatMap((label) => label.split(' → '))
}

test.each(guides)('every button and field that $page names exists in the web app', ({ page, language }) => {
  const texts = textsOf(language)
  const labels = labelsIn(read(page))

  expect(labels.length).toBeGreaterThan(5)
  expect(labels.filter((label) => !texts.has(label))).toEqual([])
})

test('the German page has the same commands as the English one', () => {
  const commandsOf = (page: string) => [...read(page).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block)

  expect(commandsOf('docs/de/get-started.md')).toEqual(commandsOf('docs/get-started.md'))
})

test('labels are bold texts that are not sentences', () => {
  expect(labelsIn('Open **Settings → Staff**, click **Invite**. **A guest leaves.** Do it.')).toEqual([
    'Settings',
    'Staff',
    'Invite',
  ])
})
