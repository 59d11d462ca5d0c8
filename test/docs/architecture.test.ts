import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
const listing = ['ls-files', '--cached', '--others', '--exclude-standard']
const files = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).split('\n').filter((path) => existsSync(join(root, path))) // biome-ignore format: one line
const fileNames = new Set(files.map((path) => basename(path)))
const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')

const drawings = /^```$[\s\S]*?^```$/gm

/** Paths in backticks that do not exist from the root, from `src`, or from a folder that the same paragraph names earlier. */
function deadPathsIn(text: string): string[] {
  return paragraphsOf(text).flatMap((paragraph) => {
    const folders = ['', 'src']
    return pathsIn(paragraph).filter((path) => {
      const found = folders.map((folder) => join(folder, path)).find(exists)
      if (found !== undefined) folders.push(found, dirname(found))
      return found === undefined && !(fileNames.has(path) && !path.includes('/'))
    })
  })
}

function paragraphsOf(text: string): string[] {
  return text.replaceAll(drawings, '').split(/\n(?=\n|- |\||\d\. )/)
}

/** `#domain/keys/key.ts` is an import from the layer `src/domain`. Paths that start with `/` are those of URLs. */
function pathsIn(paragraph: string): string[] {
  const quoted = [...paragraph.matchAll(/`([^`\s]+)`/g)].map(([, path = '']) => path.replace(/^#/, 'src/'))
  return quoted.filter((path) => !path.startsWith('/') && /\/|\.(ts|tsx|sql|json|js)$/.test(path))
}

function exists(path: string): boolean {
  if (!path.includes('*')) return existsSync(join(root, path))
  return globSync(path.startsWith('*') ? `src/**/${path}` : path, { cwd: root }).length > 0
}

/** Names in backticks that look like exports, such as `DomainError`, and are none. */
function deadExportsIn(text: string): string[] {
  const names = [...text.replaceAll(drawings, '').matchAll(/`([A-Za-z][a-z]+[A-Z]\w*)`/g)].map(([, name]) => name)
  return names.filter((name) => !new RegExp(`^export .*\\b${name}\\b`, 'm').test(sources)) as string[]
}

/** Paths and functions of the drawings that do not exist: the steps in the left column, and camelCase names anywhere. */
function deadStepsIn(text: string): string[] {
  const lines = [...text.matchAll(drawings)].flatMap(([drawing]) => drawing.split('\n'))
  const steps = lines.flatMap((line) => [
    ...(/^[ (]?[STC]?\)?[\s│├└─]+(\w+)(?= {2}|$)/.exec(line)?.slice(1) ?? []),
    ...[...line.matchAll(/\b[a-z]+[A-Z]\w*/g)].map(([name]) => name),
  ])
  const paths = lines.flatMap((line) => line.match(/\b[\w-]+\/[\w/.*-]*[\w*]/g) ?? [])
  return [
    ...paths.filter((path) => !exists(path) && !exists(join('src', path))),
    ...steps.filter((name) => !isDefined(name)),
  ]
}

/** The names of all functions, constants, types and methods. One pass: a search for each name took 2 s of processor time. */
const definitions = /\b(?:function\*?|const|type) (\w+)|^ +(?:async )?\*?(\w+)\(/gm
const definedNames = new Set([...sources.matchAll(definitions)].map(([, name, method]) => name ?? method))

function isDefined(name: string): boolean {
  return definedNames.has(name)
}

test('every path and every exported name in backticks exists', () => {
  expect(paragraphsOf(page).flatMap(pathsIn).length).toBeGreaterThan(90)
  expect(deadPathsIn(page)).toEqual([])
  expect(deadExportsIn(page)).toEqual([])
})

test('every file and every step of the drawings exists', () => {
  expect(page.match(drawings)).toHaveLength(3)
  expect(deadStepsIn(page)).toEqual([])
})

test('the checks notice a wrong name', () => {
  expect(deadPathsIn('`src/gone/` `domain/keys/key.ts`\n- `gone.ts`, `web/src/` with `pages/`; `/readyz`')).toEqual([
    'src/gone/',
    'gone.ts',
  ])
  expect(deadPathsIn('`web/src/`\n- `pages/`')).toEqual(['pages/'])
  expect(deadExportsIn('`DomainError`, `DomainMistake`')).toEqual(['DomainMistake'])
  expect(deadStepsIn('```\n S   createVoucher   in domain/gone.ts\n(S)  ├─ vanish   findGone\n```')).toEqual([
    'domain/gone.ts',
    'vanish',
    'findGone',
  ])
})
