import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Rolldown } from 'vite'
import { writeFirstPages } from './first-pages.ts'
import { buildWhenChanged, root } from './when-changed.ts'

/** `npm run build:web` builds the web app into `dist/web`. */
await buildWhenChanged('web', ['web/**/*.*', 'client/*.ts', 'build/*.ts'], async (vite, folder) => {
  const built = await vite.build({
    configFile: `${root}web/vite.config.ts`,
    logLevel: 'warn',
    build: { outDir: folder, license: { fileName: '.packages.json' } },
  })
  const { output } = built as Rolldown.RolldownOutput // Vite returns others only if it watches or builds several formats
  await writeFirstPages(
    vite,
    folder,
    output.filter((file) => file.type === 'chunk'),
  )
  for (const name of globSync('assets/{index,desk}-*.js', { cwd: folder })) compileAtOnce(`${folder}/${name}`)
  for (const name of globSync('**/*.{html,js,css,svg}', { cwd: folder })) compress(`${folder}/${name}`)
})

/**
 * Tells Chromium to compile all functions of a script while it is downloaded. Otherwise each is compiled when it is first called.
 * Other browsers ignore it. Vite adds a line of its own before every banner, so this is not an option of Vite.
 */
function compileAtOnce(path: string): void {
  writeFileSync(path, `//# allFunctionsCalledOnLoad\n${readFileSync(path, 'utf8')}`)
}

/** Writes two compressed copies of a file. The service sends these copies, so it never compresses anything itself. */
function compress(path: string): void {
  const body = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }))
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
  )
}
