import { afterEach, expect, test } from 'vitest'
import { chooseLocales, localeOf } from './locale.ts'

afterEach(() => chooseLocales([]))

test.each([
  [['en-US', 'en', 'de-AT'], 'en-US', 'de-AT'],
  [['de-CH', 'de', 'en-GB'], 'en-GB', 'de-CH'],
  [['fr-FR', 'en'], 'en-GB', 'de-DE'],
  [[], 'en-GB', 'de-DE'],
])('a browser that prefers %j has %s and %s', (tags, en, de) => {
  chooseLocales(tags)

  expect([localeOf('en'), localeOf('de')]).toEqual([en, de])
})
