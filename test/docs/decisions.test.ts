import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { linksIn } from './links-in.ts'

const folder = fileURLToPath(new URL('../../docs/adr/', import.meta.url))
const names = globSync('0*.md', { cwd: folder }).toSorted()
const index = readFileSync(`${folder}README.md`, 'utf8')

type Decision = { name: string; replacedBy: string[]; replaces: string[] }

/** The decision of a page: which later pages replace parts of it, as its first line says, and of which earlier ones it replaces parts. */
function decisionOf(name: string, text: string): Decision {
  const head = text.split(/^(?:\*\*|## )/m)[0] as string
  const linked = (line: RegExp) => linksIn(line.exec(head)?.[0] ?? '')
  const [, replacedBy = ''] = /^# .+\n\n(Replaced in part by ADR .+\.)\n/.exec(text) ?? []
  return { name, replacedBy: linksIn(replacedBy), replaces: linked(/^Replaces parts of ADR .+\.$/m) }
}

/** The first links of the rows below a heading of the index, each with the links of the last column. */
function rowsBelow(heading: string): { name: string; replacedBy: string[] }[] {
  const section = index.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^\| \[\d+\]\((.+?)\) \|(.*)$/gm)].map(([, name = '', rest = '']) => ({
    name,
    replacedBy: linksIn(rest.split(' | ')[1] ?? ''),
  }))
}

const decisions = names.map((name) => decisionOf(name, readFileSync(`${folder}${name}`, 'utf8')))

test('the tables of the index have every decision once, with the later ones that replace parts of it', () => {
  const inForce = decisions.filter(({ replacedBy }) => replacedBy.length === 0)
  const replaced = decisions.filter(({ replacedBy }) => replacedBy.length > 0)

  expect(decisions.length).toBeGreaterThan(70)
  expect(rowsBelow('In force').map(({ name }) => name)).toEqual(inForce.map(({ name }) => name))
  expect(rowsBelow('In force, except for the parts that later decisions replaced')).toEqual(
    replaced.map(({ name, replacedBy }) => ({ name, replacedBy })),
  )
})

test('a decision names those that it replaces, and these name it in their first line', () => {
  const pairs = (list: (decision: Decision) => string[][]) => decisions.flatMap(list).map(String).toSorted()

  expect(pairs(({ name, replaces }) => replaces.map((earlier) => [earlier, name]))).toEqual(
    pairs(({ name, replacedBy }) => replacedBy.map((later) => [name, later])),
  )
})

test('a title begins with the number of its file', () => {
  const titles = names.map((name) => /^# (\d+)\. /.exec(readFileSync(`${folder}${name}`, 'utf8'))?.[1])

  expect(titles).toEqual(names.map((name) => String(Number(name.slice(0, 4)))))
})

test('a page says what is replaced only in the two forms that these tests read', () => {
  const heads = names.map((name) => readFileSync(`${folder}${name}`, 'utf8').split(/^(?:\*\*|## )/m)[0] as string)
  const others = heads.flatMap(
    (head) => head.match(/\b[Ss]upersede\w*|^Replace(?!d in part by ADR |s parts of ADR ).*/gm) ?? [],
  )

  expect(others).toEqual([])
})
