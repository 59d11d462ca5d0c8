import { Combobox, Group, Text, Tooltip, UnstyledButton, useCombobox, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconSelector } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site } from '../../../../client/voucher-api.generated.ts'
import { shownAtMost, useFoundSites } from '../../found-sites.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { useHouse } from '../../house.ts'
import { siteStateText, toneOf, useAllSitesName, useScope, useSiteCounts } from '../../sites.ts'
import { Logo } from '../logo.tsx'
import { MoreSites } from '../more-sites.tsx'
import { StateDot } from '../state-dot.tsx'
import { clockWords } from '../voucher/voucher-words.ts'
import classes from './app-shell.module.css'

const allSites = 'all'

/** Chooses the site that the whole app shows. A person with one site sees only its name and state. */
export function SitePicker({ isSmall = false }: { isSmall?: boolean }) {
  const { t } = useTranslation()
  const { sites, site, choose } = useScope()
  const all = useAllSitesName()
  const [search, setSearch] = useState('')
  const combobox = useCombobox({
    onDropdownClose: () => setSearch(''),
    onDropdownOpen: () => combobox.focusSearchInput(),
  })
  const { found, hasMore, isLoading } = useFoundSites(search, { isShown: combobox.dropdownOpened })
  if (sites === undefined || sites.length < 2) return <Label sites={sites} site={site} isSmall={isSmall} />

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
          <Label sites={sites} site={site} isSmall={isSmall} canChoose isOpen={combobox.dropdownOpened} />
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
                {all}
                {site === undefined && <IconCheck size={16} aria-hidden />}
              </Group>
            </Combobox.Option>
          )}
          {found.slice(0, shownAtMost).map((one) => (
            <Combobox.Option key={one.id} value={String(one.id)} active={one.id === site?.id}>
              <Group gap={8} wrap="nowrap">
                <StateDot tone={toneOf(one.state)} />
                <span className={classes.option}>{one.name}</span>
                {one.id === site?.id && <IconCheck size={16} style={{ flex: 'none' }} aria-hidden />}
              </Group>
            </Combobox.Option>
          ))}
          {found.length === 0 && !isLoading && <Combobox.Empty>{t('sites.none-found')}</Combobox.Empty>}
          <MoreSites found={found} hasMore={hasMore} />
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

type LabelProps = {
  sites: Site[] | undefined
  site: Site | undefined
  isSmall: boolean
  canChoose?: boolean
  isOpen?: boolean
}

function Label({ sites, site, isSmall, canChoose = false, isOpen = false }: LabelProps) {
  const { t } = useTranslation()
  const house = useHouse()
  const isBelowHouse = useLayout() === 'full' && (house.name ?? house.logo) !== null
  const all = useAllSitesName()
  const { failing = 0, unknown = 0, worst = 'ok' as const } = useSiteCounts() ?? {}
  const tone = site ? toneOf(site.state) : worst
  const name = site?.name ?? (sites?.length ? all : (house.name ?? t('app.name')))
  const stateOfAll = () => {
    if (failing > 0) return t('sites.failing', { count: failing })
    return unknown > 0 ? t('sites.some-unknown', { count: unknown }) : t('sites.all-reachable')
  }
  const stateOf = ({ state, unreachable_since: since, time_zone: timeZone }: Site) =>
    state === 'unreachable' && since !== null
      ? t('outage.picker', { time: clockWords(new Date(since), timeZone) })
      : t(siteStateText(state))
  const state = site ? stateOf(site) : stateOfAll()
  if (isSmall)
    return (
      <Tooltip label={`${name} · ${state}`} disabled={isOpen} position="right" multiline maw={320}>
        <span className={classes.wide}>
          <Logo size={28} maxWidth={44} />
          <VisuallyHidden>{`${name} · ${state}`}</VisuallyHidden>
        </span>
      </Tooltip>
    )
  return (
    <span className={classes.wide}>
      {!isBelowHouse && <Logo size={28} maxWidth={72} />}
      <span style={{ flex: 1, minWidth: 0 }}>
        <Tooltip label={name} disabled={name.length <= 20 || isOpen} multiline maw={320}>
          <Text truncate fz={14} fw={600} lh="19px">
            {name}
          </Text>
        </Tooltip>
        {sites !== undefined && sites.length > 0 && (
          <Text component="span" className={classes.state ?? ''} fz={12} lh="16px" c="dimmed">
            <StateDot tone={tone} />
            <span title={state}>{state}</span>
          </Text>
        )}
      </span>
      {canChoose && <IconSelector size={16} color="var(--mantine-color-dimmed)" aria-hidden />}
    </span>
  )
}
