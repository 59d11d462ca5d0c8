import { Button, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Site } from '../../../../client/voucher-api.generated.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useDelayed } from '../../hooks/use-delayed.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { useGuestInfo } from '../../queries/guest-info.ts'
import { deskTemplatesQuery } from '../../queries/templates.ts'
import { usePerson } from '../../session.tsx'
import { useScope } from '../../sites.ts'
import de from './de.json' with { type: 'json' }
import classes from './desk.module.css'
import { useDeskSite } from './desk-data.ts'
import en from './en.json' with { type: 'json' }
import { SiteDesk } from './site-desk.tsx'
import { SiteField } from './site-field.tsx'
import { CheckCode } from './voucher/check-code.tsx'

addTexts({ de, en })

/** The page for the reception. It needs one site. If the app shows all sites, the page begins with the choice of the site. */
export function DeskPage() {
  const { t } = useTranslation()
  const { sites, error, reload, site } = useScope()
  if (error)
    return (
      <>
        <PageTitle title={t('desk.title')} />
        <ErrorMessage error={error} onRetry={reload} />
      </>
    )
  if (sites === undefined) return <Loading />
  if (sites.length === 0) return <NoSite />
  return <DeskOfSites sites={sites} scope={site} />
}

function DeskOfSites({ sites, scope }: { sites: Site[]; scope: Site | undefined }) {
  const { t } = useTranslation()
  const { site: wanted } = useSearch({ from: '/shell' })
  const { site, choose } = useDeskSite(sites, scope)
  const isGone = wanted !== undefined && scope === undefined
  const shown = isGone ? undefined : site
  if (scope) return <LoadedDesk key={scope.id} site={scope} />
  const field = (
    <>
      {isGone && (
        <Text mb="md" role="status">
          {t('desk.site-inactive')}
        </Text>
      )}
      <SiteField sites={sites} chosen={shown} onChoose={choose} />
    </>
  )
  if (shown) return <LoadedDesk key={shown.id} site={shown} siteField={field} />
  return (
    <>
      <PageTitle title={t('desk.title')} />
      <div className={classes.page}>
        <div className={classes.panel}>
          {field}
          <Text fz={13.5} c="dimmed">
            {t('desk-site.choose')}
          </Text>
        </div>
        <CheckCode />
      </div>
    </>
  )
}

function LoadedDesk({ site, siteField }: { site: Site; siteField?: React.ReactNode }) {
  const { t } = useTranslation()
  const guestInfo = useGuestInfo(site.id)
  const templates = useQuery(deskTemplatesQuery(site.id))
  const failed = [guestInfo, templates].find(({ data, error }) => error && !data)
  if (failed)
    return (
      <>
        <PageTitle title={t('desk.title')} />
        {siteField}
        <ErrorMessage error={failed.error} onRetry={() => void failed.refetch()} />
      </>
    )
  if (!guestInfo.data || !templates.data) return <Loading />
  return <SiteDesk site={site} siteField={siteField} guestInfo={guestInfo.data} templates={templates.data} />
}

/** A placeholder in which everything has its final place and height, so that nothing jumps. */
function Loading() {
  const { t } = useTranslation()
  const isLate = useDelayed(true)
  return (
    <div className={classes.page} aria-busy>
      <div>
        <PageTitle title={t('desk.title')} />
        <div className={classes.panel}>
          {isLate && <Skeleton h={56} mt={31} radius={10} />}
          {isLate && <Skeleton h={132} mt={50} radius={10} />}
        </div>
      </div>
      <div>
        <h2 className={classes.sideTitle}>{t('desk.recent')}</h2>
        {isLate && <Skeleton h={310} radius={12} />}
      </div>
    </div>
  )
}

function NoSite() {
  const { t } = useTranslation()
  const { role } = usePerson()
  return (
    <>
      <PageTitle title={t('desk.title')} />
      <div className={classes.panel}>
        <Text fw={600}>{t('desk.no-site')}</Text>
        <Text c="dimmed">{t(role === 'admin' ? 'desk.no-site-admin' : 'desk.no-site-desk')}</Text>
        {role === 'admin' && (
          <Button component={Link} to="/first-run" mt="md" style={{ alignSelf: 'flex-start' }}>
            {t('desk.set-up')}
          </Button>
        )}
      </div>
    </>
  )
}
