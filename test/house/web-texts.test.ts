import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readTexts } from './web-texts.ts'

const folder = fileURLToPath(new URL('../../web/src/', import.meta.url))
const sources = globSync('**/*.{ts,tsx}', { cwd: folder, exclude: ['**/*.test.ts'] }).map((path) => ({
  path,
  ...readTexts(path, readFileSync(folder + path, 'utf8')),
}))

/** The dictionaries of a language: one for the first load, and one in the folder of each page that is loaded later. */
function dictionaries(language: string): Record<string, object>[] {
  return globSync(`**/${language}.json`, { cwd: folder }).map((path) => JSON.parse(readFileSync(folder + path, 'utf8')))
}

/** All texts of a language by their keys, `group.name`. */
function dictionary(language: string): Record<string, string> {
  const texts = dictionaries(language)
    .flatMap((groups) => Object.entries(groups))
    .flatMap(([group, entries]) => Object.entries(entries).map(([name, text]) => [`${group}.${name}`, text]))
  return Object.fromEntries(texts)
}

const [de, en] = [dictionary('de'), dictionary('en')]

/** Plurals have two texts, `key_one` and `key_other`, and are used by the name of the key. */
const withoutPlural = (key: string) => key.replace(/_(one|other)$/, '')
const known = new Set(Object.keys(en).map(withoutPlural))

test('both languages have the same keys and placeholders, and no empty text', () => {
  const placeholders = (text: string | undefined) => (text?.match(/\{\{\w+\}\}/g) ?? []).toSorted()

  expect(Object.keys(de).toSorted()).toEqual(Object.keys(en).toSorted())
  for (const [key, text] of Object.entries(en)) expect([key, placeholders(de[key])]).toEqual([key, placeholders(text)])
  expect(Object.entries({ ...de, ...en }).filter(([, text]) => text.trim() === '')).toEqual([])
})

test('every group of texts is in one dictionary only', () => {
  const groups = dictionaries('en').flatMap((dictionary) => Object.keys(dictionary))

  expect(groups.toSorted()).toEqual([...new Set(groups)].toSorted())
})

test('every key in the sources has a text, and every text is used', () => {
  const asked = sources.flatMap(({ keys }) => keys)
  const used = new Set([...asked, ...sources.flatMap(({ mentioned }) => mentioned)])
  const prefixes = sources.flatMap((source) => source.prefixes)
  const missing = asked.filter((key) => !known.has(key))
  const unused = [...known].filter((key) => !used.has(key) && !prefixes.some((prefix) => key.startsWith(prefix)))

  expect(missing).toEqual([])
  expect(unused).toEqual([])
  expect(prefixes.filter((prefix) => ![...known].some((key) => key.startsWith(prefix)))).toEqual([])
})

test('no text is written in a component', () => {
  const hardCoded = sources.flatMap(({ path, hardCoded }) =>
    hardCoded.map(({ line, text }) => `${path}:${line} ${text}`),
  )

  expect(hardCoded).toEqual([])
})

test.each([
  ['<p>Hello</p>', 'Hello'],
  ["<p>{'Hello'}</p>", 'Hello'],
  ["<p>{isOpen ? t('a.b') : 'Closed'}</p>", 'Closed'],
  ["<p>{isOpen && 'Open'}</p>", 'Open'],
  [`<p>{\`\${count} guests\`}</p>`, 'guests'],
  ['<Input label="Name" />', 'Name'],
  ['<Input placeholder={"Room"} />', 'Room'],
  ['<Icon aria-label="Close" />', 'Close'],
  ['<a title={isOpen ? "Open" : undefined} />', 'Open'],
  ["show({ message: 'Saved' })", 'Saved'],
])('a text in %s is found', (code, text) => {
  expect(readTexts('planted.tsx', code).hardCoded).toEqual([{ line: 1, text }])
})

test.each([
  ['<p>{t("desk.title")} · {count}</p>'],
  ['<Code>npm run build:web</Code>'],
  ['<Input label={t("a.b")} type="email" autoComplete="name" />'],
  ["[{ label: 'nav.desk' }]"],
])('%s has no text of its own', (code) => {
  expect(readTexts('planted.tsx', code).hardCoded).toEqual([])
})

test('keys are found in calls, choices, tables and templates', () => {
  const { keys, mentioned, prefixes } = readTexts(
    'planted.tsx',
    `t('a.one'); t(x ? 'a.two' : 'a.three', { count }); const e = [{ label: 'a.four' }]; t(\`roles.\${role}\`)`,
  )

  expect(keys).toEqual(['a.one', 'a.two', 'a.three'])
  expect(mentioned).toContain('a.four')
  expect(prefixes).toEqual(['roles.'])
})
