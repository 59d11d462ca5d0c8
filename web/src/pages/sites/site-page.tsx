import { Anchor, Button, Code, Group, Skeleton, Text, Title } from '@mantine/core'
import { IconArrowLeft, IconPlugConnected } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { Controller, Site, SiteSettings } from '../../../../client/voucher-api.generated.ts'
import { ConnectionTest } from '../../components/controller/connection-test.tsx'
import { useRecordedTest } from '../../components/controller/use-recorded-test.ts'
import { Moment } from '../../components/moment.tsx'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { ZoneNote } from '../../components/zone-note.tsx'
import { usePageTitle } from '../../house.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { controllerQuery } from '../../queries/controllers.ts'
import { siteQuery, siteSettingsQuery } from '../../queries/sites.ts'
import { usePerson } from '../../session.tsx'
import { isFailing } from '../../sites.ts'
import { ControllerFacts } from './controller-facts.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { GuestInfoPanel } from './guest-info-panel.tsx'
import { IssuingPanel } from './issuing-panel.tsx'
import { SiteActions } from './site-actions.tsx'
import { failingSince } from './site-state.ts'
import { SyncButton, SyncProblem, useSiteSync } from './site-sync.tsx'
import classes from './sites.module.css'
import { StateMark } from './state-mark.tsx'
import { StayPanel } from './stay-panel.tsx'

addTexts({ de, en })

/**
 * One site: the test of its connection with the remedy in the failed line, its slip, its controller, and its actions.
 */
export function SitePage() {
  const { siteId } = useParams({ from: '/shell/sites/$siteId' })
  const isAdmin = usePerson().role === 'admin'
  const id = Number(siteId)
  const site = useQuery(siteQuery(id))
  const settings = useQuery(siteSettingsQuery(id))
  const controllerId = site.data?.controller_id
  const controller = useQuery({
    ...controllerQuery(controllerId ?? ''),
    enabled: isAdmin && controllerId !== undefined,
  })
  const failed = [site, settings, controller].filter(({ data, error }) => error && !data)
  if (failed.length > 0)
    return (
      <>
        <BackLink />
        <ErrorMessage
          error={failed[0]?.error}
          onRetry={() => {
            for (const { refetch } of failed) void refetch()
          }}
        />
      </>
    )
  if (!site.data || !settings.data || (isAdmin && !controller.data))
    return (
      <div aria-busy>
        <BackLink />
        <Skeleton h={28} w={320} my={12} />
        <div className={classes.detail}>
          <Skeleton h={380} radius="lg" />
          <Skeleton h={220} radius="lg" />
        </div>
      </div>
    )
  return controller.data ? (
    <AdministeredSite key={id} site={site.data} settings={settings.data} controller={controller.data} />
  ) : (
    <ManagedSite key={id} site={site.data} />
  )
}

export function BackLink() {
  const { t } = useTranslation()
  return (
    <Anchor c="dimmed" fz={13.5} renderRoot={(props) => <Link to="/sites" {...props} />}>
      <Group component="span" gap={6} display="inline-flex" className={classes.back ?? ''}>
        <IconArrowLeft size={16} aria-hidden />
        {t('sites-page.title')}
      </Group>
    </Anchor>
  )
}

/** A manager sees the state, but not the administration of the controller. */
function ManagedSite({ site }: { site: Site }) {
  const { t } = useTranslation()
  const { state } = site
  const sync = useSiteSync(site)
  return (
    <>
      <Header site={site} version={null}>
        {site.active && <SyncButton sync={sync} />}
      </Header>
      <SyncProblem sync={sync} />
      <UnrecordedNotice site={site} />
      <div className={classes.detail}>
        <div className={classes.column}>
          <GuestInfoPanel site={site} />
          <StayPanel site={site} />
        </div>
        <Panel title={t('sites-page.controller')}>
          <StateMark state={state} />
          {isFailing(state) && (
            <Text fz={13.5} c="dimmed">
              {t('sites-page.ask-admin')}
            </Text>
          )}
        </Panel>
      </div>
    </>
  )
}

type AdministeredProps = { site: Site; settings: SiteSettings; controller: Controller }

function AdministeredSite({ site, settings, controller }: AdministeredProps) {
  const { t } = useTranslation()
  const { test, run, remedies } = useRecordedTest({
    controllerId: controller.id,
    controllerSite: settings.controller_site,
    pinned: controller.certificate_pin,
  })
  // Once, when the page opens.
  useEffect(run, [])
  const sync = useSiteSync(site, { isDue: site.active && test.check?.ok === true && isFailing(site.state) })
  return (
    <>
      <Header site={site} version={test.check?.version ?? null}>
        {site.active && <SyncButton sync={sync} />}
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} aria-hidden />}
          loading={test.isRunning}
          onClick={run}
        >
          {t('connection-test.run-again')}
        </Button>
      </Header>
      <SyncProblem sync={sync} />
      <UnrecordedNotice site={site} />
      <div className={classes.detail}>
        <ConnectionTest test={test} remedies={remedies} />
        <div className={classes.column}>
          <GuestInfoPanel site={site} />
          <StayPanel site={site} />
          <IssuingPanel site={site} settings={settings} />
          <ControllerFacts controller={controller} exceptSite={site.id} onChanged={run} />
          <SiteActions site={site} />
        </div>
      </div>
    </>
  )
}

/** Only the command line can record or withdraw vouchers that are not recorded, because it shows each of them first. */
function UnrecordedNotice({ site: { id, unrecorded_vouchers: count } }: { site: Site }) {
  const { t } = useTranslation()
  if (count === 0) return null
  return (
    <div style={{ marginBottom: 20 }}>
      <Notice tone="warn" title={t('sites-page.unrecorded', { count })}>
        {t('sites-page.unrecorded-text', { count })}{' '}
        <Code display="inline-block">voucher-service reconcile --site {id}</Code>
      </Notice>
    </div>
  )
}

type HeaderProps = { site: Site; version: string | null; children: React.ReactNode }

function Header({ site, version, children }: HeaderProps) {
  const { t } = useTranslation()
  usePageTitle(site.name)
  const { state } = site
  const since = isFailing(state) ? failingSince(site) : null
  return (
    <>
      <BackLink />
      <Group justify="space-between" mb={20} mt={4} gap="sm">
        <div style={{ flex: '1 1 300px', minWidth: 0 }}>
          <Title order={1}>{site.name}</Title>
          <Text c="dimmed" fz={13.5} component="div">
            <StateMark state={state} />
            {since && (
              <>
                {' · '}
                {t('sites-page.began')} <Moment at={since} timeZone={site.time_zone} />
              </>
            )}
            {' · '}
            {t('sites-page.number', { id: site.id })}
            {version && ` · ${t('sites-page.version', { version })}`}
            {site.synced_at && (
              <>
                {' · '}
                {t('sites-page.compared-at')} <Moment at={site.synced_at} timeZone={site.time_zone} />
              </>
            )}
          </Text>
          <ZoneNote timeZone={site.time_zone} />
        </div>
        <Group gap="sm" className={classes.headActions ?? ''}>
          {children}
        </Group>
      </Group>
    </>
  )
}
