import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const sources = globSync('web/src/**/*.{ts,tsx,css}', { cwd: root, exclude: ['**/*.test.ts'] }).map((path) => ({
  path,
  text: readFileSync(root + path, 'utf8'),
}))

/** Text that no source of the web app may contain. */
const forbidden: { rule: string; found: RegExp; planted: string; except?: RegExp }[] = [
  {
    rule: 'every element shows the focus',
    found: /outline: *['"]?(none|0)\b|\ball: *['"]?unset/,
    planted: `.drawer { outline: none }`,
  },
  {
    rule: 'only answers of the service decide whether there is a connection',
    found: /navigator\.onLine/,
    planted: `if (navigator.onLine) send()`,
  },
  {
    rule: 'queries that repeat themselves stop after a rejection, so they use `pollEvery`',
    found: /refetchInterval: (?!.*\bpollEvery\()/,
    planted: `useQuery({ refetchInterval: 15_000 })`,
  },
  {
    rule: 'dates and numbers follow the locale of the browser and keep their formatters, so they use `formats.ts`',
    found: /\bIntl\.|\.toLocale(Time|Date)?String\(/,
    planted: `new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium' })`,
    except: /^web\/src\/formats\.ts$/,
  },
  {
    rule: 'all dialogs are a `Dialog`, which fills the screen of a phone and keeps its events',
    found: /\bModal\b[^']*from '@mantine\/core'/,
    planted: `import { Button, Modal } from '@mantine/core'`,
    except: /^web\/src\/components\/dialog\.tsx$/,
  },
  {
    rule: 'only `queries/` defines what is loaded, what is sent and what is loaded again after that',
    found: /\b(queryKey|queryFn|mutationFn|mutationOptions|queryOptions|useQueryClient|listAll)\b/,
    planted: `useQuery({ queryKey: ['sites'], queryFn: () => api.listSites() })`,
    except: /^web\/src\/queries\//,
  },
]

test.each(forbidden)('in the web app, $rule', ({ found, planted, except }) => {
  const checked = sources.filter(({ path }) => !except?.test(path))
  expect(checked.length).toBeGreaterThan(100)
  expect(planted).toMatch(found)
  expect(checked.filter(({ text }) => found.test(text)).map(({ path }) => path)).toEqual([])
})

/** Imports of files in the folder of a page by files outside that folder. The router and the types of the texts may have them. */
function importsOfOtherPages(files: typeof sources): string[] {
  const mayImport = ['web/src/router.tsx', 'web/src/i18n/i18n.ts']
  const pageOf = (path: string) => /^web\/src\/pages\/[^/]+\//.exec(path)?.[0]
  return files
    .filter(({ path }) => !mayImport.includes(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
        .map(([, name]) => posix.join(posix.dirname(path), name as string))
        .filter((imported) => pageOf(imported) !== undefined && pageOf(imported) !== pageOf(path))
        .map((imported) => `${path} imports ${imported}`),
    )
}

test('in the web app, a page imports nothing from another page, and shared parts nothing from a page', () => {
  const planted = [
    { path: 'web/src/pages/keys/keys-page.tsx', text: `import { words } from '../desk/words.ts'` },
    { path: 'web/src/components/panel.tsx', text: `const Page = lazyPart(() => import('../pages/me/me-page.tsx'))` },
  ]

  expect(importsOfOtherPages(planted)).toEqual([
    'web/src/pages/keys/keys-page.tsx imports web/src/pages/desk/words.ts',
    'web/src/components/panel.tsx imports web/src/pages/me/me-page.tsx',
  ])
  expect(importsOfOtherPages(sources)).toEqual([])
})

/** Classes that a file takes from a CSS module that does not have them, and classes of CSS modules that no file takes. */
function unmatchedClasses(files: typeof sources): string[] {
  const taken = files.flatMap(({ path, text }) =>
    [...text.matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)].flatMap(([, classes, css]) =>
      [...text.matchAll(new RegExp(`(?<![.\\w])${classes}\\.(\\w+)`, 'g'))].map(
        ([, name]) => `${posix.join(posix.dirname(path), css as string)} ${name}`,
      ),
    ),
  )
  const defined = files
    .filter(({ path }) => path.endsWith('.module.css'))
    .flatMap(({ path, text }) => {
      const selectors = text.replaceAll(/\/\*[\s\S]*?\*\/|\{[^{}]*\}/g, ' ')
      return [...selectors.matchAll(/\.(?!mantine-)([a-z][\w-]*)/gi)].map(([, name]) => `${path} ${name}`)
    })
  const [known, used] = [new Set(defined), new Set(taken)]
  return [...new Set([...defined, ...taken])].filter((one) => !known.has(one) || !used.has(one))
}

test('in the web app, CSS modules have exactly the classes that are used', () => {
  const planted = [
    {
      path: 'web/src/pages/me/me.module.css',
      text: `.rows > li, .old { margin: 0 } @media print { .rows { gap: 0 } }`,
    },
    {
      path: 'web/src/pages/me/list.tsx',
      text: `import classes from './me.module.css'\n<ul className={classes.rows}><li className={classes.row} /></ul>`,
    },
  ]

  expect(unmatchedClasses(planted)).toEqual([
    'web/src/pages/me/me.module.css old',
    'web/src/pages/me/me.module.css row',
  ])
  expect(unmatchedClasses(sources)).toEqual([])
})
