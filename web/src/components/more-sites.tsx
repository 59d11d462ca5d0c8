import { Combobox, type ComboboxItem } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { type FoundSites, searchedAtMost, shownAtMost } from '../found-sites.ts'

/** The last line of a list of sites that does not show all that were found. */
export function MoreSites({ found, hasMore }: Pick<FoundSites, 'found' | 'hasMore'>) {
  const { t } = useTranslation()
  if (hasMore) return <Combobox.Empty>{t('sites.many-more', { count: searchedAtMost })}</Combobox.Empty>
  if (found.length > shownAtMost) return <Combobox.Empty>{t('sites.more', { count: found.length })}</Combobox.Empty>
  return null
}

/** The same line for a field whose options are data. Nobody can choose it. */
export function moreOption(t: TFunction): ComboboxItem {
  return { value: 'more', label: t('sites.many-more', { count: searchedAtMost }), disabled: true }
}
