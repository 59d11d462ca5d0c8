import { type ComboboxItem, type ComboboxParsedItem, Select, type SelectProps } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site } from '../../../client/voucher-api.generated.ts'
import { shownAtMost, useFoundSites } from '../found-sites.ts'
import { useFindSite } from '../sites.ts'
import { moreOption } from './more-sites.tsx'

type Props = Omit<SelectProps, 'data' | 'value'> & {
  value?: string | null
  /** Options before the sites. */
  first?: ComboboxItem[]
  /** Sites that cannot be chosen. */
  without?: number[]
  withInactive?: boolean
}

/** Chooses one site by typing a part of its name. The values are numbers of sites as text. */
export function SiteSelect({ value = null, first = [], without = [], withInactive = false, ...props }: Props) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const find = useFindSite()
  const id = Number(value)
  const chosen = id > 0 ? (find(id) ?? undefined) : undefined
  const isName = typed === chosen?.name || first.some(({ label }) => label === typed)
  const { found, hasMore, isRemote, isLoading } = useFoundSites(isName ? '' : typed, { withInactive })
  // In the browser, the field itself searches among all sites.
  const all = useFoundSites('', { withInactive, isShown: false })
  const sites = isRemote ? found : all.found
  const options = optionsOf(sites, chosen).filter(({ value: option }) => !without.includes(Number(option)))
  return (
    <Select
      searchable
      limit={shownAtMost}
      nothingFoundMessage={isLoading ? t('sites.searching') : t('sites.none-found')}
      data={[...first, ...options, ...(hasMore ? [moreOption(t)] : [])]}
      value={value}
      onSearchChange={setTyped}
      {...(isRemote && { filter: hideUnless(found, chosen) })}
      {...props}
    />
  )
}

/** The sites that were found, and the chosen one, whose name the field shows. */
function optionsOf(sites: Site[], chosen: Site | undefined): ComboboxItem[] {
  const all = chosen && !sites.some(({ id }) => id === chosen.id) ? [...sites, chosen] : sites
  return all.map(({ id, name }) => ({ value: String(id), label: name }))
}

/** The service has searched already, so the field hides only the chosen site if it was not found. */
function hideUnless(found: Site[], chosen: Site | undefined) {
  const isHidden = chosen !== undefined && !found.some(({ id }) => id === chosen.id)
  return ({ options }: { options: ComboboxParsedItem[] }) =>
    options.filter((option) => !(isHidden && 'value' in option && option.value === String(chosen.id)))
}
