import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { personErrors } from '#http/errors/person-errors.ts'

const folder = fileURLToPath(new URL('../../web/src/components/provider/', import.meta.url))

test.each(['en', 'de'])('the sign-in page has a sentence for each failure of the provider, in %s', (language) => {
  const { provider: texts } = JSON.parse(readFileSync(`${folder}${language}.json`, 'utf8'))
  const codes = Object.keys(personErrors).filter((code) => /^provider_|^identity_(taken|other)$/.test(code))

  expect(codes.length).toBeGreaterThan(10)
  expect(codes.filter((code) => !(code in texts))).toEqual([])
})
