import { MultiSelect, Radio, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useScope } from '../sites.ts'

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
  const { sites = [] } = useScope()
  const some = (
    <MultiSelect
      {...(canBeAll ? { 'aria-label': label } : { label })}
      placeholder={value.length === 0 ? t('sites.choose') : ''}
      searchable
      hidePickedOptions
      limit={100}
      nothingFoundMessage={t('sites.none-found')}
      data={sites.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={value === 'all' ? [] : value.map(String)}
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
