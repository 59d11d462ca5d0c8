import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checkCauseTexts } from '#http/errors/check-causes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')

const files = globSync(['src/**/*.ts', 'bin/*.js', 'web/src/**/en.json'], { cwd: root, exclude: ['**/*.test.ts'] })
const sources = files.map((path) => withoutLineBreaks(readFileSync(join(root, path), 'utf8'))).join('\n')

/** A text of a source may be joined from several lines: `'one ' +\n 'two'`. */
function withoutLineBreaks(source: string): string {
  return source.replaceAll(/['`] \+\s+['`]/g, '')
}

/** The messages in the first column of every table. `…` stands for a part that varies. */
function messagesOf(text: string): string[] {
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message]) => message as string)
}

const fixedPartsOf = (message: string) => message.split('…').map((part) => part.trim()).filter((part) => part !== '') // biome-ignore format: one line

/** Every log line at the level of a warning or an error; of a text with placeholders, the part before the first one. */
function warningsIn(source: string): string[] {
  const calls = source.matchAll(/\blog\.(?:warn|error)\(\s*(?:\{[^}]*\},\s*)?['`]([^'`$]+)/g)
  return [...calls].map(([, text]) => (text as string).split(/[:;]/)[0]?.trim() as string)
}

test('every message on the page exists in the sources', () => {
  const missing = messagesOf(page).filter((message) => !fixedPartsOf(message).every((part) => sources.includes(part)))

  expect(messagesOf(page).length).toBeGreaterThan(90)
  expect(missing).toEqual([])
})

test('every warning and error of the log is on the page', () => {
  const warnings = [...new Set(warningsIn(sources))]

  expect(warnings.length).toBeGreaterThan(15)
  expect(warnings.filter((warning) => !page.includes(fixedPartsOf(warning)[0]?.split(',')[0] as string))).toEqual([])
})

test('every cause of a failed connection test is on the page', () => {
  const sentences = Object.values(checkCauseTexts).map(({ en }) => en)
  const isOnPage = (sentence: string) =>
    messagesOf(page).some((message) => fixedPartsOf(message).every((part) => sentence.includes(part)))
  // These three only ask for something that is missing in the form.
  const needNoHelp = [
    'Enter the credentials to test',
    'The connection is not encrypted',
    'The controller is busy. Wait',
  ]

  expect(sentences.length).toBeGreaterThan(20)
  expect(
    sentences.filter((sentence) => !isOnPage(sentence) && !needNoHelp.some((start) => sentence.startsWith(start))),
  ).toEqual([])
})

/** The texts of the problems that a check of the doctor can find, in their fixed parts. */
function problemsIn(source: string): string[][] {
  const texts = source.matchAll(/\bproblem\(\s*(?:'([^']+)'|`([^`]+)`)/g)
  return [...texts].map(([, plain, template = '']) =>
    (plain ?? template.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…'))
      .split('…')
      .map((part) => part.replaceAll('"', '').trim()),
  )
}

test('every problem that the doctor finds is on the page', () => {
  const checks = globSync('src/commands/doctor/check-*.ts', { cwd: root })
  const problems = checks.flatMap((path) => problemsIn(readFileSync(join(root, path), 'utf8')))
  const isOnPage = (parts: string[]) =>
    parts.some((part) => part.length > 7 && page.includes(part.split(/ \(|: /)[0] as string))

  expect(problems.length).toBeGreaterThan(12)
  expect(problems.filter((parts) => !isOnPage(parts))).toEqual([])
})

/** Texts of the web app that report a failure. The rest of such a text says what to do, so only its first sentence counts. */
const failures =
  /^(errors\.(unreachable|ended|no-right|failed)|sign-in\.(wrong|too-many)|many\.why|webhooks\.(failed|cause)|sites\.trouble-)/

test('every failure that the web app reports is on the page', () => {
  const dictionaries = globSync('web/src/**/en.json', { cwd: root }).map((path) =>
    JSON.parse(readFileSync(join(root, path), 'utf8')),
  )
  const texts = dictionaries.flatMap((dictionary) =>
    Object.entries<Record<string, string>>(dictionary).flatMap(([part, named]) =>
      Object.entries(named).map(([name, text]) => ({ name: `${part}.${name}`, text })),
    ),
  )
  const reported = texts.filter(({ name }) => failures.test(name) && !name.endsWith('-text'))
  const isOnPage = (text: string) =>
    page.includes(`\`${text.replace(/\{\{\w+\}\}/g, '…').split(/(?<=\.) /)[0] as string}`)

  expect(reported.length).toBeGreaterThan(25)
  expect(reported.filter(({ text }) => !isOnPage(text))).toEqual([])
})

test('the checks notice a message that was changed', () => {
  expect(messagesOf('| `one … two` | why |')).toEqual(['one … two'])
  expect(fixedPartsOf('one … two')).toEqual(['one', 'two'])
  expect(withoutLineBreaks("'one ' +\n  'two'")).toBe("'one two'")
  expect(problemsIn("problem(\n `The role #{a({ b })} may not`, 'Grant it')".replace('#', '$'))).toEqual([
    ['The role', 'may not'],
  ])
  expect(warningsIn("log.warn({ err }, 'it failed; it is retried')")).toEqual(['it failed'])
})
