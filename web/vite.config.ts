import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** Parts of Mantine components that nothing uses. A component brings all its parts, so the desk would load 5 kB gzip of them. */
const unusedParts = [
  ...['Menu.Search', 'Menu.Sub', 'Menu.CheckboxGroup', 'Menu.RadioGroup', 'Menu.ContextMenu', 'Popover.ContextMenu'],
  ...['Tooltip.Floating', 'Tooltip.Group', 'Checkbox.Indicator', 'Checkbox.Card', 'Radio.Indicator', 'Radio.Card'],
  ...['Combobox.Header', 'Combobox.Footer', 'Button.GroupSection'],
  ...['ActionIcon.Group', 'ActionIcon.GroupSection', 'Avatar.Group', 'Modal.Stack', 'Drawer.Stack', 'Input.Success'],
]

/** `build/build-web.ts` and `npm run dev` use this. Paths are relative to this folder. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), mantineStyles(), mantineParts()],
  // React has had this function since its version 18.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim$/, replacement: 'react' }] },
  define: { __VERSION__: JSON.stringify(version) },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false }, // a browser without it finds the files of a page later, and nothing else
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Code of every page is one file, the frame and the desk are another. More files would cost more time than their bytes save.
            { name: 'app', tags: ['$initial'], priority: 2 },
            { name: 'desk', test: /(signed-in-pages|desk-page)\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
})

/** Colours that neither this app nor Mantine uses, as variables and in Mantine's theme. The sign-in page would load 2 kB gzip of them. */
const unusedColors = /(?:--mantine-color-)?\b(?:pink|grape|violet|cyan|lime|orange)(?:-[^;]+;|: \[[^\]]+\],?)/g

/**
 * Loads the styles of a Mantine component together with its script. All styles of Mantine have 37 kB gzip, and the sign-in page
 * needs a seventh of them. A component imports the parts that it is made of, so their styles come before its own.
 */
function mantineStyles(): Plugin {
  return {
    name: 'mantine-styles',
    enforce: 'pre',
    transform(code, id) {
      if (/\/default-(colors\.mjs|css-variables\.layer\.css)$/.test(id))
        return { code: code.replaceAll(unusedColors, ''), map: null }
      const [, component] = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/.exec(id) ?? []
      return component && { code: `import '@mantine/core/styles/${component}.layer.css'\n${code}`, map: null }
    },
  }
}

/** Leaves these parts out of the bundle. The build fails if something begins to use one. */
function mantineParts(): Plugin {
  const names = unusedParts.join('|').replaceAll('.', '\\.')
  const added = new RegExp(`^(?:${names}) = \\w+;$`, 'gm')
  const used = new RegExp(`\\b(?:${names})\\b`)
  return {
    name: 'mantine-parts',
    enforce: 'pre',
    transform(code, id) {
      return /@mantine\/core\/esm\//.test(id) ? { code: code.replaceAll(added, ''), map: null } : undefined
    },
    generateBundle(_, files) {
      for (const file of Object.values(files))
        for (const [id, { code }] of Object.entries(file.type === 'chunk' ? file.modules : {})) {
          const [part] = used.exec(code ?? '') ?? []
          if (part) this.error(`${id} uses ${part}, which \`unusedParts\` in vite.config.ts leaves out`)
        }
    },
  }
}
