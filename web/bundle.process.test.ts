import { execFile } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { report } from '#test/measuring.ts'

const bundle = fileURLToPath(new URL('../dist/web/', import.meta.url))
const build = () =>
  promisify(execFile)(process.execPath, [fileURLToPath(new URL('../build/build-web.ts', import.meta.url))])
await build()
const mantineStyles = fileURLToPath(import.meta.resolve('@mantine/core/styles.layer.css'))

const textOf = (name: string) => readFileSync(bundle + name, 'utf8')
const gzipBytes = (names: string[]) => names.reduce((sum, name) => sum + statSync(`${bundle}${name}.gz`).size, 0)
const { pages, styles, files, texts } = JSON.parse(textOf('first-pages.json'))

/** The files that the page loads at once: the entry with its styles, and everything that these import statically. */
function firstLoad(): string[] {
  const loaded = new Set(
    [...textOf('index.html').matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, name]) => name as string),
  )
  loaded.add(texts.de.slice(1))
  for (const name of loaded)
    for (const [, imported] of textOf(name).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
      loaded.add(`assets/${imported}`)
  return [...loaded]
}

/** The files of the desk that the service names in the page, besides those of the first load. */
const deskFiles = [...files.desk.scripts, ...files.desk.styles].map((name: string) => name.slice(1))

test('the sign-in page loads at most 4 files and 180 kB, with the page itself', () => {
  const page = gzipSync(textOf('index.html') + styles + pages.de.plain['sign-in']).length
  const bytes = gzipBytes(firstLoad()) + page

  report('first load of the sign-in page, kB gzip', bytes / 1000)
  expect(firstLoad().length).toBeGreaterThan(1)
  expect(firstLoad().length).toBeLessThanOrEqual(4)
  expect(bytes).toBeLessThan(180_000)
})

test('the desk loads at most 6 files and 285 kB, and no file is found only while another runs', () => {
  const all = [...firstLoad(), ...deskFiles]
  const imported = deskFiles
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) =>
      [...textOf(name).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(([, file]) => `assets/${file}`),
    )

  report('first load of the desk, kB gzip', gzipBytes(all) / 1000)
  expect(all.length).toBeLessThanOrEqual(6)
  expect(gzipBytes(all)).toBeLessThan(285_000)
  expect(imported.filter((name) => !all.includes(name))).toEqual([])
})

test('every Mantine component that a page begins with has its styles', () => {
  const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g))
  for (const names of [firstLoad(), [...firstLoad(), ...deskFiles]]) {
    const text = (ending: string) =>
      names
        .filter((name) => name.endsWith(ending))
        .map(textOf)
        .join()
    const styled = classesIn(text('.css'))
    const known = classesIn(readFileSync(mantineStyles, 'utf8')) // some parts of components have no styles at all

    expect(styled.size).toBeGreaterThan(20)
    expect([...classesIn(text('.js'))].filter((name) => known.has(name) && !styled.has(name))).toEqual([])
  }
})

test('no style uses a colour that was left out', () => {
  const all = globSync('assets/*.{css,js}', { cwd: bundle }).map(textOf).join()
  const used = [...new Set(all.match(/(?<=var\()--mantine-color-[a-z]+-\d/g))]

  expect(used.length).toBeGreaterThan(20)
  expect(used.filter((name) => !all.includes(`${name}:`) && !styles.includes(`${name}:`))).toEqual([])
})

test.each(['de', 'en'])('the first pages in %s show the card and the frame without any script', (language) => {
  const { plain: found, logo } = pages[language]

  expect(logo['sign-in']).toContain('<img class=')
  expect(found['sign-in']).toContain(language === 'de' ? 'Passwort' : 'Password')
  expect(found['desk.desk']).toContain(language === 'de' ? 'Neuer Voucher' : 'New voucher')
  expect(found['frame.desk']).not.toContain(language === 'de' ? 'Neuer Voucher' : 'New voucher')
  expect(found['frame.admin']).toContain('href="/keys"')
  expect(found['frame.desk']).not.toContain('href="/keys"')
  expect(Object.values(found).join()).not.toMatch(/<script|<style| on\w+="/)
})

test.each(['de', 'en'])('the first pages in %s have every text: none shows the name of a text instead', (language) => {
  const dictionaries = globSync('src/**/en.json', { cwd: import.meta.dirname }).map((path) =>
    JSON.parse(readFileSync(`${import.meta.dirname}/${path}`, 'utf8')),
  )
  const names = dictionaries.flatMap((dictionary) =>
    Object.entries<object>(dictionary).flatMap(([group, texts]) =>
      Object.keys(texts).map((name) => `${group}.${name}`),
    ),
  )
  const shown = Object.values<object>(pages[language]).flatMap(Object.values).join()

  expect(names.length).toBeGreaterThan(500)
  expect(names.filter((name) => shown.includes(name))).toEqual([])
})

test('the service can serve every file: Fastify finds no name with more than 100 characters', () => {
  expect(globSync('assets/*', { cwd: bundle }).filter((name) => name.length > 100)).toEqual([])
})

test('charts are not in the first load', () => {
  const hasCharts = (name: string) => textOf(name).includes('recharts-')

  expect(globSync('assets/*.js', { cwd: bundle }).filter(hasCharts)).not.toEqual([])
  expect(firstLoad().filter(hasCharts)).toEqual([])
})

test('the bundle has the production version of React, whatever NODE_ENV is here', () => {
  const scripts = globSync('assets/*.js', { cwd: bundle }).map((name) => readFileSync(bundle + name, 'utf8'))

  expect(process.env['NODE_ENV']).toBe('test')
  expect(scripts.filter((text) => text.includes('Download the React DevTools'))).toEqual([])
})

test('the page has no inline script and nothing from another host', () => {
  const page = readFileSync(`${bundle}index.html`, 'utf8')

  expect(page).not.toMatch(/<script(?![^>]*\bsrc="\/)/)
  expect(page).not.toMatch(/(?:src|href)="(?!\/(?!\/))/)
})

test('compressed copies have the content of their file', () => {
  const names = globSync('**/*.{html,js,css,svg}', { cwd: bundle })

  expect(names.length).toBeGreaterThan(3)
  for (const name of names) {
    const content = readFileSync(bundle + name)
    expect(gunzipSync(readFileSync(`${bundle}${name}.gz`)).equals(content)).toBe(true)
    expect(brotliDecompressSync(readFileSync(`${bundle}${name}.br`)).equals(content)).toBe(true)
  }
})

test('a second build does nothing', async () => {
  const before = statSync(`${bundle}index.html`).ino
  await build()

  expect(statSync(`${bundle}index.html`).ino).toBe(before)
})
