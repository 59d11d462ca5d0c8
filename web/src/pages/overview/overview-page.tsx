import { Button, Group, Paper, SegmentedControl, Skeleton, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../components/empty-state.tsx'
import { ExportError } from '../../components/export-error.tsx'
import { ExportMenu } from '../../components/export-menu.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useDelayed } from '../../hooks/use-delayed.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { type Days, exportOverview, overviewQuery } from '../../queries/overview.ts'
import { useScope } from '../../sites.ts'
import { AttentionList } from './attention-list.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { IssuedPanel } from './issued-panel.tsx'
import classes from './overview.module.css'
import type { Overview } from './overview-data.ts'
import { ControllerPanel, MakersPanel } from './site-panels.tsx'
import { BusiestPanel, WallPanel } from './sites-panels.tsx'

addTexts({ de, en })

/** Shows what needs attention, then how many vouchers were issued, then the sites or the only site. */
export function OverviewPage() {
  const { t } = useTranslation()
  const { days = 30 } = useSearch({ from: '/shell/overview' })
  const { sites, site } = useScope()
  const { data } = useQuery({ ...overviewQuery(site?.id, days), enabled: sites !== undefined })
  const exporting = useMutation(exportOverview(site?.id, days))
  const isPhone = useLayout() === 'phone'
  const navigate = useNavigate()
  const choose = (chosen: string) =>
    void navigate({
      to: '/overview',
      search: (old) => ({ ...old, days: chosen === '7' ? 7 : chosen === '90' ? 90 : undefined }),
      replace: true,
    })
  const exportMenu = (
    <ExportMenu
      label={t('overview.export')}
      kinds={(['site', 'maker'] as const).map((value) => ({ value, label: t(`overview.export-${value}`) }))}
      isBusy={exporting.isPending}
      onExport={exporting.mutate}
    />
  )
  return (
    <>
      <PageTitle title={t('overview.title')} {...(data && { timeZone: data.time_zone })}>
        <Group gap={8}>
          <SegmentedControl
            aria-label={t('overview.period')}
            size="sm"
            value={String(days)}
            onChange={choose}
            data={[7, 30, 90].map((count) => ({ value: String(count), label: t('overview.days', { count }) }))}
          />
          {!isPhone && exportMenu}
        </Group>
      </PageTitle>
      {exporting.error && (
        <div style={{ marginBottom: 16 }}>
          <ExportError error={exporting.error} onRetry={() => exporting.mutate(exporting.variables)} />
        </div>
      )}
      <Content days={days} />
      {isPhone && <Group mt={20}>{exportMenu}</Group>}
    </>
  )
}

function Content({ days }: { days: Days }) {
  const { sites, site, error: scopeError, reload } = useScope()
  // Until the sites are loaded, the chosen site is unknown.
  const { data, error, refetch } = useQuery({ ...overviewQuery(site?.id, days), enabled: sites !== undefined })
  const isLoading = sites === undefined || data === undefined
  const isLate = useDelayed(isLoading && !scopeError && !error)
  if (scopeError) return <ErrorMessage error={scopeError} onRetry={reload} />
  if (error && !data) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  if (isLoading)
    return (
      <Stack gap={20} aria-busy>
        {isLate &&
          [56, 322, 300].map((height) => (
            <Paper key={height} withBorder radius="lg" p={20} h={height} bg="var(--vs-panel)">
              <Skeleton h={14} w={180} />
            </Paper>
          ))}
      </Stack>
    )
  return data.sites?.count === 0 ? <NoSites /> : <Figures overview={data} />
}

function Figures({ overview }: { overview: Overview }) {
  return (
    <Stack gap={20}>
      <AttentionList overview={overview} />
      <IssuedPanel overview={overview} />
      <div className={classes.pair}>
        {overview.sites && <BusiestPanel overview={overview} sites={overview.sites} />}
        {overview.sites && <WallPanel overview={overview} sites={overview.sites} />}
        {overview.site && <MakersPanel overview={overview} site={overview.site} />}
        {overview.site && <ControllerPanel overview={overview} site={overview.site} />}
      </div>
    </Stack>
  )
}

function NoSites() {
  const { t } = useTranslation()
  return (
    <EmptyState title={t('overview.no-sites')} text={t('overview.no-sites-text')}>
      <Button renderRoot={(props) => <Link to="/sites" {...props} />}>{t('overview.to-sites')}</Button>
    </EmptyState>
  )
}
