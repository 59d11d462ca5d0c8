import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { IconChevronRight, IconFileImport, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site, SitesSummary } from '../../../../client/voucher-api.generated.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { type Column, DataTable } from '../../components/table/data-table.tsx'
import { FilterBar, FilterChip, FilterMenu, SearchField } from '../../components/table/filters.tsx'
import { Pager } from '../../components/table/pager.tsx'
import tableClasses from '../../components/table/table.module.css'
import { compareNames, formatNumber } from '../../formats.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { orValue } from '../../newer-values.ts'
import { watchedSitesQuery } from '../../queries/found-sites.ts'
import { usePerson } from '../../session.tsx'
import { useKnownSites, useScopeZone } from '../../sites.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { ImportDialog } from './import-dialog.tsx'
import { findSites, findTroubles, troublesOf } from './site-state.ts'
import classes from './sites.module.css'
import { StateMark } from './state-mark.tsx'
import { TroubleList } from './trouble-list.tsx'

addTexts({ de, en })

const pageSize = 50
const states: Site['state'][] = [
  'reachable',
  'unreachable',
  'certificate',
  'sign_in_refused',
  'failing',
  'unknown',
  'inactive',
]

/** All sites with their state. Up to 200 are loaded once and searched in the browser, more are searched by the service. */
export function SitesPage() {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const isAdmin = usePerson().role === 'admin'
  const { sites, summary, error: knownError, reload, isFetching } = useKnownSites()
  const [isImporting, setIsImporting] = useState(false)
  const { q = '', state, controller, cursor, page = 1 } = useSearch({ from: '/shell/sites' })
  const navigate = useNavigate({ from: '/sites' })
  const change = (next: Change) =>
    void navigate({ search: (old) => ({ ...old, page: undefined, cursor: undefined, ...next }), replace: true })
  const chosenState = readState(state)
  const words = q.trim()
  const search = {
    ...(words !== '' && { text: words.slice(0, 255) }),
    ...(chosenState && { state: chosenState }),
    ...(controller && { controller_id: controller }),
    order: 'state' as const,
    limit: pageSize,
    ...(cursor && { cursor }),
  }
  const remote = useQuery({ ...watchedSitesQuery(search), enabled: summary !== undefined })
  const error = knownError ?? (remote.data ? null : remote.error)

  if (error)
    return (
      <>
        <PageTitle title={t('sites-page.title')} />
        <ErrorMessage error={error} onRetry={knownError ? reload : () => void remote.refetch()} />
      </>
    )
  const isEmpty = sites?.length === 0
  const found =
    sites && !summary ? findSites(sites, { search: q, state: chosenState, controllerId: controller }) : undefined
  const first = (page - 1) * pageSize
  const isWhole = words === '' && !chosenState && !controller
  const positionText = (from: number, to: number) => {
    const count = isWhole ? summary?.count : remote.data?.next_cursor ? undefined : to
    return count === undefined
      ? t('sites-page.position-of-more', { first: from, last: to })
      : t('sites-page.position', { first: from, last: to, count })
  }
  const rows = summary ? remote.data?.sites : found?.slice(first, first + pageSize)
  return (
    <>
      <PageTitle title={t('sites-page.title')} timeZone={timeZone}>
        {isAdmin && <Actions onImport={() => setIsImporting(true)} />}
      </PageTitle>
      {sites && (
        <TroubleList
          troubles={summary ? troublesOf(summary) : findTroubles(sites)}
          isAdmin={isAdmin}
          onShow={(controllerId) => change({ controller: controllerId })}
        />
      )}
      {!isEmpty && (
        <Filters
          sites={summary ? (rows ?? []) : (sites ?? [])}
          summary={summary}
          q={q}
          state={state}
          controller={controller}
          onChange={change}
        />
      )}
      <SiteTable
        rows={rows}
        isFetching={summary ? remote.isFetching && remote.isPlaceholderData : isFetching}
        empty={
          isEmpty ? (
            <EmptyState
              title={t('sites-page.none')}
              text={t(isAdmin ? 'sites-page.none-admin' : 'sites-page.none-text')}
            />
          ) : (
            <EmptyState title={t('table.no-match')} text={t('sites-page.no-match-text')}>
              <Button variant="default" onClick={() => change({ q: '', state: undefined, controller: undefined })}>
                {t('table.clear')}
              </Button>
            </EmptyState>
          )
        }
        foot={
          found ? (
            <Pages page={page} count={found.length} onMove={(next) => change({ page: next })} />
          ) : (
            <Pager
              {...(cursor && { cursor, page })}
              size={pageSize}
              count={rows?.length ?? 0}
              nextCursor={remote.data?.next_cursor}
              onMove={change}
              positionText={positionText}
              isByName
            />
          )
        }
      />
      {isImporting && <ImportDialog onClose={() => setIsImporting(false)} />}
    </>
  )
}

function readState(text: string | undefined): Site['state'] | undefined {
  return states.find((state) => state === text)
}

function Actions({ onImport }: { onImport: () => void }) {
  const { t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  return (
    <Group gap="sm" wrap="nowrap">
      {isPhone ? (
        <ActionIcon variant="default" size={44} aria-label={t('sites-page.import')} onClick={onImport}>
          <IconFileImport size={20} aria-hidden />
        </ActionIcon>
      ) : (
        <Button variant="default" leftSection={<IconFileImport size={16} aria-hidden />} onClick={onImport}>
          {t('sites-page.import')}
        </Button>
      )}
      <Button
        leftSection={<IconPlus size={16} aria-hidden />}
        aria-label={t('sites-page.add')}
        renderRoot={(props) => <Link to="/sites/add" {...props} />}
      >
        {t(isPhone ? 'sites-page.add-short' : 'sites-page.add')}
      </Button>
    </Group>
  )
}

type Change = {
  q?: string
  state?: string | undefined
  controller?: string | undefined
  cursor?: string | undefined
  page?: number | undefined
}

type FilterProps = {
  sites: Site[]
  summary: SitesSummary | undefined
  q: string
  state: string | undefined
  controller: string | undefined
  onChange: (next: Change) => void
}

function Filters({ sites, summary, q, state, controller, onChange }: FilterProps) {
  const { t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  const controllers = [...new Map(sites.map((site) => [site.controller_id, site.controller_name]))]
  return (
    <FilterBar>
      <SearchField
        value={q}
        onChange={(text) => onChange({ q: text })}
        placeholder={t('sites-page.search', { count: summary?.count ?? sites.length })}
      />
      <FilterMenu
        label={t('sites-page.state')}
        value={state}
        options={states.map((value) => ({ value: value as string, label: t(`sites-page.state-${value}`) }))}
        onChange={(value) => onChange({ state: value })}
      />
      {summary && controller && (
        <FilterChip
          name={controllers.find(([id]) => id === controller)?.[1] ?? t('sites-page.controller')}
          onRemove={() => onChange({ controller: undefined })}
        />
      )}
      {!summary && controllers.length > 1 && (
        <FilterMenu
          label={t('sites-page.controller')}
          value={controller}
          options={controllers
            .toSorted(([, a], [, b]) => compareNames(a, b))
            .map(([value, label]) => ({ value, label }))}
          onChange={(value) => onChange({ controller: value })}
        />
      )}
      {!isPhone && (
        <Text c="dimmed" fz={13.5} ml="auto">
          {t('sites-page.order')}
        </Text>
      )}
    </FilterBar>
  )
}

type TableProps = {
  rows: Site[] | undefined
  isFetching: boolean
  empty: React.ReactNode
  foot: React.ReactNode
}

function SiteTable({ rows, isFetching, empty, foot }: TableProps) {
  const { t } = useTranslation()
  const layout = useLayout()
  const timeZone = useScopeZone()
  const navigate = useNavigate()
  const columns: Column<Site>[] = [
    {
      accessor: 'name',
      title: t('sites-page.site'),
      render: ({ id, name }) => (
        <Text
          inherit
          fw={500}
          c="inherit"
          td="none"
          renderRoot={(props) => <Link to="/sites/$siteId" params={{ siteId: String(id) }} {...props} />}
        >
          {name}
        </Text>
      ),
    },
    { accessor: 'state', title: t('sites-page.state'), render: ({ state }) => <StateMark state={state} /> },
    ...(layout === 'full'
      ? [
          {
            accessor: 'controller_name' as const,
            title: t('sites-page.controller'),
            width: '22%',
            cellsClassName: () => tableClasses.dimmed ?? '',
          },
        ]
      : []),
    {
      accessor: 'synced_at',
      title: t('sites-page.compared'),
      textAlign: 'right',
      noWrap: true,
      cellsClassName: () => tableClasses.dimmed ?? '',
      render: ({ synced_at }) => (synced_at ? <Moment at={synced_at} timeZone={timeZone} /> : '–'),
    },
    {
      accessor: 'recent_vouchers',
      title: t('sites-page.recent'),
      textAlign: 'right',
      noWrap: true,
      render: ({ recent_vouchers }) => formatNumber(recent_vouchers),
    },
    {
      accessor: 'id',
      title: '',
      width: 44,
      render: () => <IconChevronRight size={16} color="var(--vs-soft)" display="block" aria-hidden />,
    },
  ]
  return (
    <DataTable
      label={t('sites-page.title')}
      rows={rows}
      columns={columns}
      isFetching={isFetching}
      empty={empty}
      foot={foot}
      isSoft={({ active }) => !active}
      onOpen={({ id }) => void navigate({ to: '/sites/$siteId', params: { siteId: String(id) } })}
      phoneRow={(site) => <PhoneRow site={site} count={formatNumber(site.recent_vouchers)} />}
    />
  )
}

function PhoneRow({ site, count }: { site: Site; count: string }) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const { state } = site
  return (
    <span className={classes.phoneRow}>
      <StateMark state={state} isBare />
      <span style={{ flex: 1, minWidth: 0 }}>
        <Text component="span" fw={500} display="block">
          {site.name}
        </Text>
        <Text component="span" c="dimmed" fz={13.5}>
          {state === 'reachable'
            ? site.controller_name
            : `${t(`sites-page.state-${state}`, orValue(state))} · ${site.controller_name}`}
          {site.synced_at && (
            <>
              {' · '}
              <Moment at={site.synced_at} timeZone={timeZone} />
            </>
          )}
        </Text>
      </span>
      <Text component="span" c="dimmed" fz={13.5}>
        {count}
      </Text>
      <IconChevronRight size={16} color="var(--vs-soft)" aria-hidden />
    </span>
  )
}

function Pages({ page, count, onMove }: { page: number; count: number; onMove: (page: number) => void }) {
  const { t } = useTranslation()
  const first = (page - 1) * pageSize + 1
  const last = Math.min(first + pageSize - 1, count)
  if (count === 0) return null
  return (
    <div className={tableClasses.foot}>
      <span>{t('sites-page.position', { first, last, count })}</span>
      {count > pageSize && (
        <Group gap="sm">
          <Button variant="default" size="xs" disabled={page === 1} onClick={() => onMove(page - 1)}>
            {t('sites-page.previous')}
          </Button>
          <Button variant="default" size="xs" disabled={last === count} onClick={() => onMove(page + 1)}>
            {t('sites-page.next')}
          </Button>
        </Group>
      )}
    </div>
  )
}
