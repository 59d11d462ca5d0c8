import { Button, Paper, SegmentedControl, Skeleton, Stack } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useDelayed } from '../../hooks/use-delayed.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { useScope } from '../../sites.ts'
import { AttentionList } from './attention-list.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { IssuedPanel } from './issued-panel.tsx'
import classes from './overview.module.css'
import { type Days, type Overview, useOverview } from './overview-data.ts'
import { ControllerPanel, MakersPanel } from './site-panels.tsx'
import { BusiestPanel, WallPanel } from './sites-panels.tsx'

addTexts({ de, en })

/** Shows what needs attention, then how many vouchers were issued, then the sites or the only site. */
export function OverviewPage() {
  const { t } = useTranslation()
  const { days = 30 } = useSearch({ from: '/shell/overview' })
  const navigate = useNavigate()
  const choose = (chosen: string) =>
    void navigate({
      to: '/overview',
      search: (old) => ({ ...old, days: chosen === '7' ? 7 : chosen === '90' ? 90 : undefined }),
      replace: true,
    })
  return (
    <>
      <PageTitle title={t('overview.title')}>
        <SegmentedControl
          aria-label={t('overview.period')}
          size="sm"
          value={String(days)}
          onChange={choose}
          data={[7, 30, 90].map((count) => ({ value: String(count), label: t('overview.days', { count }) }))}
        />
      </PageTitle>
      <Content days={days} />
    </>
  )
}

function Content({ days }: { days: Days }) {
  const { sites, error: scopeError, reload } = useScope()
  const { data, error, refetch } = useOverview(days)
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
