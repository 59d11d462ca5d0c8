import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { guestLanguages } from '#slips/guest-languages.ts'

test('the page about languages lists every language of slips with its name, and who checked it', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/languages.md', import.meta.url)), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \| ([^|]+) \| [^|]+ \|$/gm)].map(([, code, name]) => [code, name])
  const names = new Intl.DisplayNames('en', { type: 'language' })

  expect(rows).toEqual(guestLanguages.map((language) => [language, names.of(language)]))
})
