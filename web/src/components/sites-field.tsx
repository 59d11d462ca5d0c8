import { MultiSelect, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { shownAtMost, useFoundSites } from '../found-sites.ts'
import { useFindSite } from '../sites.ts'
import { moreOption } from './more-sites.tsx'

type Props = {
  label: string
  /** `all` includes sites that are added later. */
  value: number[] | 'all'
  onChange: (value: number[] | 'all') => void
  /** Whether the person may choose all sites. */
  canBeAll: boolean
  error?: string | undefined
}

/** Chooses all sites, or some of the sites that the person may use. */
export function SitesField({ label, value, onChange, canBeAll, error }: Props) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const find = useFindSite()
  const { found, hasMore, isRemote, isLoading } = useFoundSites(typed)
  // In the browser, the field itself searches among all sites.
  const all = useFoundSites('', { isShown: false })
  const sites = isRemote ? found : all.found
  const chosen = value === 'all' ? [] : value
  const others = chosen.filter((id) => sites.every((site) => site.id !== id))
  const some = (
    <MultiSelect
      {...(canBeAll ? { 'aria-label': label } : { label })}
      placeholder={value.length === 0 ? t('sites.choose') : ''}
      searchable
      hidePickedOptions
      limit={shownAtMost}
      nothingFoundMessage={isLoading ? t('sites.searching') : t('sites.none-found')}
      data={[
        ...sites.map(({ id, name }) => ({ value: String(id), label: name })),
        ...(hasMore ? [moreOption(t)] : []),
        ...others.map((id) => ({ value: String(id), label: find(id)?.name ?? `#${id}` })),
      ]}
      value={chosen.map(String)}
      onSearchChange={setTyped}
      {...(isRemote && {
        filter: ({ options }) => options, // the service has searched already
      })}
      onChange={(ids) => onChange(ids.map(Number))}
      error={error}
    />
  )
  if (!canBeAll) return some
  return (
    <Stack gap="xs">
      <Radio.Group
        label={label}
        value={value === 'all' ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? 'all' : [])}
      >
        <Stack gap={8} mt={4}>
          <Radio value="all" label={t('sites.all-and-later')} />
          <Radio value="some" label={t('sites.some')} />
        </Stack>
      </Radio.Group>
      {value !== 'all' && some}
    </Stack>
  )
}
