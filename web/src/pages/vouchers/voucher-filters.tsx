import { ActionIcon, Button, Drawer, Group, Indicator, Popover, Stack, TextInput } from '@mantine/core'
import { IconChevronDown, IconFilter } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FilterBar, FilterChip, FilterChoices, FilterMenu, SearchField } from '../../components/table/filters.tsx'
import { useFoundSites } from '../../found-sites.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { useScope } from '../../sites.ts'
import { hasFilters, noFilters, periods, sources, statuses, statusesOf, type VoucherSearch } from './voucher-search.ts'
import classes from './vouchers.module.css'

type Props = {
  search: VoucherSearch
  /** Changes filters and returns to the newest vouchers. */
  onChange: (change: VoucherSearch) => void
  /** The person or key in `search.by`, if its name is known. */
  maker: string | undefined
  /** The actions at the right. */
  children: ReactNode
}

/** The line above the table. On a phone the filters are in a drawer. */
export function VoucherFilters({ search, onChange, maker, children }: Props) {
  const { t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  const [isOpen, setIsOpen] = useState(false)
  const field = (
    <SearchField
      value={search.q ?? ''}
      placeholder={t('vouchers.search')}
      onChange={(q) => onChange({ q: q || undefined })}
    />
  )
  if (!isPhone)
    return (
      <FilterBar>
        {field}
        <Filters search={search} onChange={onChange} maker={maker} />
        <div style={{ marginLeft: 'auto' }}>{children}</div>
      </FilterBar>
    )
  const isFiltered = hasFilters({ ...search, q: undefined })
  return (
    <>
      <Group wrap="nowrap" gap={8} mb="sm" className={classes.phoneBar ?? ''}>
        {field}
        <Indicator disabled={!isFiltered} size={10} color="var(--vs-accent)">
          <ActionIcon variant="default" size={44} aria-label={t('vouchers.filters')} onClick={() => setIsOpen(true)}>
            <IconFilter size={18} aria-hidden />
          </ActionIcon>
        </Indicator>
      </Group>
      <Drawer
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        position="bottom"
        size="auto"
        title={t('vouchers.filters')}
        closeButtonProps={{ 'aria-label': t('actions.close') }}
      >
        <Stack gap="sm" className={classes.phoneFilters ?? ''}>
          <Filters search={search} onChange={onChange} maker={maker} />
          <Group grow>
            {children}
            {isFiltered && (
              <Button variant="default" onClick={() => onChange({ ...noFilters, q: search.q })}>
                {t('table.clear')}
              </Button>
            )}
          </Group>
        </Stack>
      </Drawer>
    </>
  )
}

function Filters({ search, onChange, maker }: Omit<Props, 'children'>) {
  const { t } = useTranslation()
  const { sites = [], site, choose } = useScope()
  const [text, setText] = useState('')
  const { found, isRemote } = useFoundSites(text)
  return (
    <>
      <FilterChoices
        label={t('vouchers.status')}
        values={statusesOf(search.status)}
        options={statuses.map((value) => ({ value, label: t(`desk.status-${value}`) }))}
        onChange={(values) => onChange({ status: values.length > 0 ? values.join(',') : undefined })}
      />
      {sites.length > 1 && (
        <FilterMenu
          label={t('vouchers.site')}
          value={site && String(site.id)}
          options={found.map(({ id, name }) => ({ value: String(id), label: name }))}
          remote={isRemote ? { onSearch: setText, chosen: site?.name } : undefined}
          onChange={(id) => choose(id === undefined ? undefined : Number(id))}
        />
      )}
      <FilterMenu
        label={t('vouchers.created')}
        value={search.created}
        options={periods.map((value) => ({ value, label: t(`vouchers.period-${value}`) }))}
        onChange={(created) => onChange({ created, from: undefined, to: undefined })}
      />
      <FilterMenu
        label={t('vouchers.source')}
        value={search.source}
        options={sources.map((value) => ({ value, label: t(`vouchers.source-${value}`) }))}
        onChange={(source) => onChange({ source, by: undefined })}
      />
      {search.by && (
        <FilterChip
          name={maker ? t('vouchers.by', { name: maker }) : t('vouchers.by-one')}
          onRemove={() => onChange({ by: undefined })}
        />
      )}
      <MoreFilters search={search} onChange={onChange} />
    </>
  )
}

/** The reference, which must match exactly, and any period. */
function MoreFilters({ search, onChange }: Omit<Props, 'children' | 'maker'>) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const isSet = [search.reference, search.from, search.to].some((value) => value !== undefined)
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" width={280} shadow="md" trapFocus>
      <Popover.Target>
        <Button
          variant={isSet ? 'light' : 'default'}
          px={12}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          onClick={() => setIsOpen(!isOpen)}
        >
          {search.reference ? t('vouchers.reference-is', { reference: search.reference }) : t('vouchers.more')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <MoreForm
          search={search}
          onSubmit={(change) => {
            onChange(change)
            setIsOpen(false)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

function MoreForm({ search, onSubmit }: { search: VoucherSearch; onSubmit: (change: VoucherSearch) => void }) {
  const { t } = useTranslation()
  const [reference, setReference] = useState(search.reference ?? '')
  const [from, setFrom] = useState(search.from ?? '')
  const [to, setTo] = useState(search.to ?? '')
  useEffect(() => setReference(search.reference ?? ''), [search.reference])
  const orNothing = (text: string) => (text.trim() === '' ? undefined : text.trim())
  const period = { from: orNothing(from), to: orNothing(to) }
  const isPeriod = period.from !== undefined || period.to !== undefined
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit({ reference: orNothing(reference), ...period, ...(isPeriod && { created: undefined }) })
      }}
    >
      <Stack gap="sm">
        <TextInput
          label={t('vouchers.reference')}
          description={t('vouchers.reference-exact')}
          value={reference}
          onChange={(event) => setReference(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={t('vouchers.from')}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={t('vouchers.to')}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="subtle" onClick={() => onSubmit({ reference: undefined, from: undefined, to: undefined })}>
            {t('vouchers.clear-these')}
          </Button>
          <Button type="submit" variant="default">
            {t('vouchers.apply')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
