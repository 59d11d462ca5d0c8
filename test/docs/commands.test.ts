import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = globSync(['*.md', 'docs/*.md', 'docs/de/*.md', 'deploy/*.md'], { cwd: root })
const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
const commandSources = sources
  .filter((path) => path.startsWith('src/commands/'))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')

/** Command lines of `voucher-service` in blocks of a shell and in inline code, without the name of the program. */
function commandLinesOf(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) =>
    block.replaceAll('\\\n', ' '),
  )
  const inline = [...text.matchAll(/`(voucher-service [^`\n]+)`/g)].map(([, code]) => code as string)
  return [...blocks, ...inline]
    .flatMap((code) => code.split('\n'))
    .map((line) => /(?:^|[\s(/])voucher-service(?:\.js)? (.*)/.exec(line.split(/ #|^#/)[0] as string)?.[1])
    .filter((line) => line !== undefined)
    .map((line) => (line.split(/[|<>;)]|&& /)[0] as string).trim())
    .filter((line) => /^[a-z]/.test(line) && !isSentence.test(line))
}

/** Texts that begin like a command: the voucher `voucher-service verify <date>`, and the message `voucher-service needs Node`. */
const isSentence = /^(verify|needs)\b/

/** Commands that a message of the sources names in backquotes, such as `voucher-service sites list`. */
function commandsInMessages(source: string): string[] {
  return [...source.matchAll(/\\?`voucher-service ([a-z][^`\\$]*)/g)]
    .map(([, line = '']) => line.trim())
    .filter((line) => !isSentence.test(line))
}

/** The help of the command that a line names, and its first line: `voucher-service sites set [options] <id>`. */
async function helpOf(words: string[]): Promise<{ help: string; usage: string }> {
  const { stdout: help } = await runCommand('', [...words, '--help'])
  return { help, usage: /Usage: (.*)/.exec(help)?.[1] ?? '' }
}

/** Says which command or option of a line does not exist; undefined when all exist. */
async function faultOf(line: string): Promise<string | undefined> {
  const words = line.split(/\s+/)
  const [noun = '', verb = ''] = words
  if (noun === 'simulator') return undefined // it has a parser of its own
  const { help, usage } = await helpOf([noun, ...(/^[a-z][a-z-]*$/.test(verb) ? [verb] : [])])
  if (!usage.startsWith(`voucher-service ${noun}`)) return `${line}: there is no command ${noun}`
  if (usage.includes('[command]') && !verb.startsWith('-') && verb !== '' && !verb.includes('…'))
    return `${line}: there is no command ${noun} ${verb}`
  const unknown = words.filter((word) => /^--[a-z]/.test(word) && !hasOption(help, word.split('=')[0] as string))
  return unknown.length === 0 ? undefined : `${line}: there is no option ${unknown.join(', ')}`
}

const hasOption = (help: string, option: string) => new RegExp(`${option}(?![a-z-])`).test(help)

test('every command line on a page has commands and options that exist', async () => {
  const lines = new Set(pages.flatMap((page) => commandLinesOf(readFileSync(join(root, page), 'utf8'))))
  const faults = await Promise.all([...lines].map(faultOf))

  expect(lines.size).toBeGreaterThan(25)
  expect(faults.filter((fault) => fault !== undefined)).toEqual([])
})

/** Options of other programs that pages name alone. */
const optionsOfOthers = ['--unit', '--slot', '--type', '--target-timeline']

/** Options that a page names without a command, such as `--since`, and that no command has. */
function unknownOptionsOf(text: string): string[] {
  const named = [...text.matchAll(/`(--[a-z][a-z-]*)[^`\n]*`/g)].map(([, option]) => option as string)
  return named.filter((option) => !optionsOfOthers.includes(option) && !hasOption(commandSources, option))
}

test('every option that a page names exists', () => {
  const faults = pages.flatMap((page) =>
    unknownOptionsOf(readFileSync(join(root, page), 'utf8')).map((option) => `${page}: there is no option ${option}`),
  )

  expect(faults).toEqual([])
  expect(unknownOptionsOf('`--since 2h`, `--env-file`')).toEqual(['--env-file'])
})

test('every command that a message names exists', async () => {
  const lines = new Set(sources.flatMap((path) => commandsInMessages(readFileSync(join(root, path), 'utf8'))))
  const faults = await Promise.all([...lines].map(faultOf))

  expect(lines.size).toBeGreaterThan(15)
  expect(faults.filter((fault) => fault !== undefined)).toEqual([])
})

test('the checks notice commands and options that do not exist', async () => {
  const planted =
    '```sh\nFOO=1 bin/voucher-service.js sites set 1 \\\n  --nope x   # a comment\n```\n`voucher-service sits list`'

  expect(commandLinesOf(planted)).toEqual(['sites set 1    --nope x', 'sits list'])
  expect(await faultOf('sites set 1 --nope x')).toContain('no option --nope')
  expect(await faultOf('sites sett 1')).toContain('no command sites sett')
  expect(await faultOf('sits list')).toContain('no command sits')
  expect(await faultOf('sites set 1 --rename x')).toBeUndefined()
})
