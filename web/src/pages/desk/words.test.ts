import i18next from 'i18next'
import { expect, test } from 'vitest'
import type { Template } from '../../../../client/voucher-api.generated.ts'
import { initTexts } from '../../i18n/i18n.ts'
import { templateWords } from './words.ts'

const day = { name: '1 day', automatic_name: true, expire_minutes: 1440, max_uses: 2 } as Template

test('the second line of a template repeats no duration that its name says in the language of the page', async () => {
  await initTexts('de')
  const { t } = i18next

  expect(templateWords(t, day)).toBe('2 Geräte')
  expect(templateWords(t, { ...day, name: 'Familie, 1 Tag', automatic_name: false })).toBe('2 Geräte')
  expect(templateWords(t, { ...day, name: 'Family, 1 day', automatic_name: false })).toBe('1 Tag · 2 Geräte')
})
