import { execFile } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { report } from '#test/measuring.ts'

const bundle = fileURLToPath(new URL('../dist/web/', import.meta.url))
const build = () =>
  promisify(execFile)(process.execPath, [fileURLToPath(new URL('../build/build-web.ts', import.meta.url))])
await build()

test('the first visit loads less than 300 kB of JavaScript', () => {
  const loaded = [...readFileSync(`${bundle}index.html`, 'utf8').matchAll(/(?:src|href)="\/([^"]+\.js)"/g)]
  const bytes = loaded.reduce((sum, [, name]) => sum + statSync(`${bundle}${name}.gz`).size, 0)

  report('JavaScript of the first visit, kB gzip', bytes / 1000)
  expect(loaded.length).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(300_000)
})

/** The scripts that the page loads at once: the entry, and everything that these import statically. */
function firstLoad(): string[] {
  const page = readFileSync(`${bundle}index.html`, 'utf8')
  const loaded = new Set([...page.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(([, name]) => name as string))
  for (const name of loaded)
    for (const [, imported] of readFileSync(bundle + name, 'utf8').matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
      loaded.add(`assets/${imported}`)
  return [...loaded]
}

test('charts are not in the first load', () => {
  const hasCharts = (name: string) => readFileSync(bundle + name, 'utf8').includes('recharts-')

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
