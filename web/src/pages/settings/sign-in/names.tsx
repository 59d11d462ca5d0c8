import { useTranslation } from 'react-i18next'

/** "Anna Weber, Jonas Pohl and 4 more." `count` is the number of all, of whom `names` may have only the first. */
export function Names({ names, count }: { names: string[]; count: number }) {
  const { t } = useTranslation()
  const more = count - names.length
  return `${names.join(', ')}${more > 0 ? ` ${t('sign-in-settings.and-more', { count: more })}` : ''}.`
}
