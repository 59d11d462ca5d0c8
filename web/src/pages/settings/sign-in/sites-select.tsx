import { Combobox, Group, Input, InputBase, useCombobox } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MoreSites } from '../../../components/more-sites.tsx'
import { shownAtMost, useFoundSites } from '../../../found-sites.ts'
import { useKnownSites } from '../../../sites.ts'
import { useSitesWords } from '../use-sites-words.ts'
import classes from './sign-in.module.css'

const everySite = 'all'
/** A short list needs no search. */
const searchFrom = 9

type Props = {
  label: string
  value: number[] | 'all'
  onChange: (value: number[] | 'all') => void
  error?: string | undefined
}

/** Chooses all sites or some, in the room of one line. */
export function SitesSelect({ label, value, onChange, error }: Props) {
  const { t } = useTranslation()
  const { sites = [] } = useKnownSites()
  const [search, setSearch] = useState('')
  const hasSearch = sites.length >= searchFrom
  const combobox = useCombobox({
    onDropdownClose: () => {
      setSearch('')
      combobox.resetSelectedOption()
    },
    onDropdownOpen: () => hasSearch && combobox.focusSearchInput(),
  })
  const { found, hasMore, isLoading } = useFoundSites(search, { withInactive: true, isShown: combobox.dropdownOpened })
  const words = useSitesWords(
    value === 'all' ? { all_sites: true, site_ids: [] } : { all_sites: false, site_ids: value },
  )
  const shown = value.length === 0 ? t('sites.choose') : words
  const chosen = value === 'all' ? [] : value
  const submit = (option: string) => {
    if (option === everySite) {
      onChange('all')
      return combobox.closeDropdown()
    }
    const id = Number(option)
    onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  }
  return (
    <Combobox store={combobox} onOptionSubmit={submit} shadow="md">
      <Combobox.Target targetType="button">
        <InputBase
          component="button"
          type="button"
          pointer
          className={classes.sites ?? ''}
          aria-label={`${label}: ${shown}`}
          rightSection={<Combobox.Chevron />}
          rightSectionPointerEvents="none"
          error={error}
          onClick={() => combobox.toggleDropdown()}
        >
          {value.length === 0 ? <Input.Placeholder>{shown}</Input.Placeholder> : shown}
        </InputBase>
      </Combobox.Target>
      <Combobox.Dropdown>
        {hasSearch && (
          <Combobox.Search
            value={search}
            onChange={(event) => {
              setSearch(event.currentTarget.value)
              combobox.selectFirstOption()
            }}
            placeholder={t('sites.search')}
            aria-label={t('sites.search')}
          />
        )}
        <Combobox.Options aria-label={label} mah={320} style={{ overflowY: 'auto' }}>
          {search === '' && <Choice value={everySite} name={t('settings.all-sites')} isChosen={value === 'all'} />}
          {found.slice(0, shownAtMost).map(({ id, name }) => (
            <Choice key={id} value={String(id)} name={name} isChosen={chosen.includes(id)} />
          ))}
          {found.length === 0 && !isLoading && <Combobox.Empty>{t('sites.none-found')}</Combobox.Empty>}
          <MoreSites found={found} hasMore={hasMore} />
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

function Choice({ value, name, isChosen }: { value: string; name: string; isChosen: boolean }) {
  return (
    <Combobox.Option value={value} active={isChosen} aria-selected={isChosen}>
      <Group gap={8} wrap="nowrap" justify="space-between">
        <span style={{ overflowWrap: 'anywhere' }}>{name}</span>
        {isChosen && <IconCheck size={16} style={{ flex: 'none' }} aria-hidden />}
      </Group>
    </Combobox.Option>
  )
}
