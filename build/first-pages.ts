import { rmSync, writeFileSync } from 'node:fs'
import type { Rolldown } from 'vite'
import { root } from './when-changed.ts'

type Chunk = Rolldown.OutputChunk
/** Markup by language, house and name of the page, and the notices by language. */
type Rendered = { pages: Record<string, Record<string, Record<string, string>>>; notices: Record<string, string> }
type Files = { scripts: string[]; styles: string[] }

/**
 * Renders the pages that the service sends before any script runs, and lists the files that each page of the app needs at first.
 * `folder` has the built app, and `chunks` are its scripts.
 */
export async function writeFirstPages(vite: typeof import('vite'), folder: string, chunks: Chunk[]): Promise<void> {
  const rendered = await renderPages(vite, `${folder}/.first-pages`)
  // Every rendered page begins with the same variables of the theme.
  const style = /<style data-mantine.*?<\/style>/gs
  const styles = new Set<string>()
  const withoutStyles = JSON.parse(JSON.stringify(rendered.pages), (_name, value) => {
    if (typeof value !== 'string') return value
    for (const found of value.match(style) ?? []) styles.add(found)
    return value.replace(style, '')
  })
  const content = {
    pages: withoutStyles,
    notices: rendered.notices,
    styles: [...styles].join(''),
    files: filesOfPages(chunks),
    texts: { de: textsOf(chunks, 'de'), en: textsOf(chunks, 'en') },
  }
  writeFileSync(`${folder}/first-pages.json`, JSON.stringify(content))
}

async function renderPages(vite: typeof import('vite'), folder: string): Promise<Rendered> {
  await vite.build({
    configFile: `${root}web/vite.config.ts`,
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: `${root}web/src/first-pages.tsx`,
      outDir: folder,
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  // The service replaces the name of the host.
  Object.assign(globalThis, { location: { host: '%host%', pathname: '', search: '' } })
  const { renderFirstPages } = await import(`${folder}/first-pages.js`)
  const pages = await renderFirstPages()
  rmSync(folder, { recursive: true })
  return pages
}

/** The files of each page of signed-in people that the app would load one after the other: those of the frame and of the page. */
function filesOfPages(chunks: Chunk[]): Record<string, Files> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const withImports = (names: string[]): Set<string> => {
    const found = new Set(names)
    for (const name of found) for (const imported of byName.get(name)?.imports ?? []) found.add(imported)
    return found
  }
  const namesWith = (source: RegExp) =>
    chunks.filter(({ moduleIds }) => moduleIds.some((id) => source.test(id))).map(({ fileName }) => fileName)
  const first = withImports(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  const frame = namesWith(/\/shell\/signed-in-pages\.tsx$/)
  const filesOf = (page: string[]): Files => {
    const scripts = [...withImports([...frame, ...page])].filter((name) => !first.has(name))
    const styles = scripts.flatMap((name) => [...(byName.get(name)?.viteMetadata?.importedCss ?? [])])
    return { scripts: scripts.map((name) => `/${name}`), styles: [...new Set(styles)].map((name) => `/${name}`) }
  }
  const pages = chunks.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((id) => /\/src\/pages\/([\w-]+)\/\1-page\.tsx$/.exec(id)?.[1] ?? []),
  )
  return Object.fromEntries(pages.map((name) => [name, filesOf(namesWith(new RegExp(`/${name}/${name}-page\\.tsx$`)))]))
}

/** The file with the texts of a language that every page needs. */
function textsOf(chunks: Chunk[], language: string): string {
  const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/src/i18n/${language}.json`)))
  return `/${chunk?.fileName}`
}
