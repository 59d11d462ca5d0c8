import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { linksIn } from './links-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))

/** The anchors that GitHub gives to the headings of a page. A second heading with the same text gets `-1`. */
function anchorsIn(text: string): Set<string> {
  const anchors = new Set<string>()
  const counts = new Map<string, number>()
  for (const [, heading = ''] of text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    const anchor = plain.trim().toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-') // biome-ignore format: one line
    const count = counts.get(anchor) ?? 0
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`)
    counts.set(anchor, count + 1)
  }
  return anchors
}

function isDead(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, target))) return true
  return anchor !== undefined && target.endsWith('.md') && !anchorsIn(read(target)).has(anchor)
}

const read = (page: string) => readFileSync(join(root, page), 'utf8')

test('every linked page, picture and heading exists', () => {
  const links = pages.flatMap((page) => linksIn(read(page)).map((link) => ({ page, link })))

  expect(pages.length).toBeGreaterThan(50)
  expect(links.length).toBeGreaterThan(150)
  expect(links.filter(({ page, link }) => isDead(page, link))).toEqual([])
})

test('every picture is small and used', () => {
  const pictures = globSync('docs/images/*', { cwd: root })
  const used = pages.flatMap((page) => linksIn(read(page)).map((link) => normalize(join(dirname(page), link))))

  const limitOf = (picture: string) => (picture.endsWith('.webp') ? 600_000 : 150_000) // the moving one is WebP
  expect(pictures.filter((picture) => statSync(join(root, picture)).size > limitOf(picture))).toEqual([])
  expect(pictures.filter((picture) => !used.includes(picture))).toEqual([])
})

test('every page of docs is in its index', () => {
  const index = linksIn(read('docs/README.md')).map((link) => normalize(join('docs', link)))
  const listed = pages.filter((page) => /^docs\/(de\/)?[^/]+\.md$/.test(page) && page !== 'docs/README.md')

  expect(listed.filter((page) => !index.includes(page))).toEqual([])
})

test('links and headings are read as GitHub reads them', () => {
  expect(linksIn('[a](b.md#c "d") ![e](f.png) <img src="g.png"> `[h](i.md)` [j](https://k)')).toEqual([
    'b.md#c',
    'f.png',
    'g.png',
  ])
  expect([...anchorsIn("# A & `b`: c's _d_\n```sh\n# no heading\n```\n## Twice\n## Twice")]).toEqual([
    'a--b-cs-_d_',
    'twice',
    'twice-1',
  ])
  expect(isDead('docs/README.md', 'operating.md#no-such-heading')).toBe(true)
  expect(isDead('docs/README.md', 'no-such-page.md')).toBe(true)
  expect(isDead('docs/README.md', 'operating.md#people')).toBe(false)
})
