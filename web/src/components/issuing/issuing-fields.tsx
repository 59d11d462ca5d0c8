import { Group, NumberInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { addTexts } from '../../i18n/i18n.ts'
import { durationWords } from '../voucher/voucher-words.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { type IssuingInput, isWrongLimit, type Limits } from './issuing-input.ts'

addTexts({ de, en })

/** How many vouchers a day, and how long one may last. An empty field is no limit. */
export function IssuingFields<Values extends IssuingInput>({ form }: { form: UseFormReturnType<Values> }) {
  const { t } = useTranslation()
  const { perDay, longest } = form.values
  const field = (name: keyof IssuingInput) => ({
    ...form.getInputProps(name),
    onChange: (value: number | string) =>
      (form as unknown as UseFormReturnType<IssuingInput>).setFieldValue(name, typeof value === 'number' ? value : ''),
    error: form.errors[name] ?? (isWrongLimit(name === 'perDay' ? perDay : longest) && t('issuing.wrong-number')),
    placeholder: t('issuing.none'),
    clampBehavior: 'none' as const,
    thousandSeparator: ' ',
    style: { flex: '1 1 180px' },
  })
  return (
    <Group align="flex-start" gap="sm">
      <NumberInput label={t('issuing.per-day')} description={t('issuing.per-day-help')} {...field('perDay')} />
      <NumberInput
        label={t('issuing.longest')}
        description={
          longest === '' || isWrongLimit(longest)
            ? t('issuing.longest-help')
            : t('issuing.longest-is', { duration: durationWords(t, longest) })
        }
        {...field('longest')}
      />
    </Group>
  )
}

/** Errors of the form, for `validate` of `useSaveForm`. */
export function checkIssuing(t: TFunction) {
  const check = (limit: number | '') => (isWrongLimit(limit) ? t('issuing.wrong-number') : null)
  return { perDay: check, longest: check }
}

/** "60 vouchers a day, at most 1 day each"; "no limit" if there is none. */
export function issuingWords(t: TFunction, { vouchers_per_day: perDay, longest_minutes: longest }: Limits): string {
  const words = [
    ...(perDay ? [t('issuing.words-per-day', { count: perDay })] : []),
    ...(longest ? [t('issuing.words-longest', { duration: durationWords(t, longest) })] : []),
  ]
  return words.length > 0 ? words.join(', ') : t('issuing.none')
}
