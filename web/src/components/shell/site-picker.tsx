import { Combobox, Group, Text, Tooltip, UnstyledButton, useCombobox, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconSelector } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site } from '../../../../client/voucher-api.generated.ts'
import { useScope } from '../../sites.ts'
import { Logo } from '../logo.tsx'
import classes from './app-shell.module.css'

const allSites = 'all'
const shownAtMost = 100

/** Chooses the site that the whole app shows. A person with one site sees only its name and state. */
export function SitePicker({ isSmall = false }: { isSmall?: boolean }) {
  const { t } = useTranslation()
  const { sites, site, choose } = useScope()
  const [search, setSearch] = useState('')
  const combobox = useCombobox({
    onDropdownClose: () => setSearch(''),
    onDropdownOpen: () => combobox.focusSearchInput(),
  })
  if (sites === undefined || sites.length < 2) return <Label sites={sites} site={site} isSmall={isSmall} />

  const found = sites.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()))
  return (
    <Combobox
      store={combobox}
      width={320}
      position="bottom-start"
      shadow="md"
      onOptionSubmit={(value) => {
        choose(value === allSites ? undefined : Number(value))
        combobox.closeDropdown()
      }}
    >
      <Combobox.Target targetType="button">
        <UnstyledButton w="100%" style={{ borderRadius: 8 }} onClick={() => combobox.toggleDropdown()}>
          <Label sites={sites} site={site} isSmall={isSmall} canChoose />
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={search}
          onChange={(event) => {
            setSearch(event.currentTarget.value)
            combobox.selectFirstOption()
          }}
          placeholder={t('sites.search')}
          aria-label={t('sites.search')}
        />
        <Combobox.Options aria-label={t('sites.label')} mah={360} style={{ overflowY: 'auto' }}>
          {search === '' && (
            <Combobox.Option value={allSites} active={site === undefined}>
              <Group justify="space-between">
                {t('sites.all', { count: sites.length })}
                {site === undefined && <IconCheck size={16} aria-hidden />}
              </Group>
            </Combobox.Option>
          )}
          {found.slice(0, shownAtMost).map((one) => (
            <Combobox.Option key={one.id} value={String(one.id)} active={one.id === site?.id}>
              <Group justify="space-between" wrap="nowrap">
                <span>
                  <Dot isOk={one.reachable} /> {one.name}
                </span>
                {one.id === site?.id && <IconCheck size={16} aria-hidden />}
              </Group>
            </Combobox.Option>
          ))}
          {found.length === 0 && <Combobox.Empty>{t('sites.none-found')}</Combobox.Empty>}
          {found.length > shownAtMost && <Combobox.Empty>{t('sites.more', { count: found.length })}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

type LabelProps = { sites: Site[] | undefined; site: Site | undefined; isSmall: boolean; canChoose?: boolean }

function Label({ sites, site, isSmall, canChoose = false }: LabelProps) {
  const { t } = useTranslation()
  const failing = sites?.filter(({ reachable }) => !reachable).length ?? 0
  const isOk = site ? site.reachable : failing === 0
  const name = site?.name ?? (sites?.length ? t('sites.all', { count: sites.length }) : t('app.name'))
  const state = site
    ? t(isOk ? 'sites.reachable' : 'sites.unreachable')
    : isOk
      ? t('sites.all-reachable')
      : t('sites.failing', { count: failing })
  if (isSmall)
    return (
      <Tooltip label={`${name} · ${state}`} position="right">
        <span className={classes.wide}>
          <Logo size={28} />
          <VisuallyHidden>{`${name} · ${state}`}</VisuallyHidden>
        </span>
      </Tooltip>
    )
  return (
    <span className={classes.wide}>
      <Logo size={28} />
      <span style={{ flex: 1, minWidth: 0 }}>
        <Tooltip label={name} disabled={name.length <= 20}>
          <Text truncate fz={14} fw={600} lh="19px">
            {name}
          </Text>
        </Tooltip>
        {sites !== undefined && sites.length > 0 && (
          <Text truncate fz={12} lh="16px" c="dimmed">
            <Dot isOk={isOk} /> {state}
          </Text>
        )}
      </span>
      {canChoose && <IconSelector size={16} color="var(--mantine-color-dimmed)" aria-hidden />}
    </span>
  )
}

function Dot({ isOk }: { isOk: boolean }) {
  const color = isOk ? 'var(--vs-ok)' : 'var(--vs-bad)'
  return (
    <span
      aria-hidden
      style={{ display: 'inline-block', width: 9, height: 9, marginRight: 4, borderRadius: '50%', background: color }}
    />
  )
}
