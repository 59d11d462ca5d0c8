import { Anchor, Button, Group, Loader, ScrollArea, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { OfferedSite } from '../../../../client/voucher-api.generated.ts'
import { Panel } from '../../components/panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { addControllerSites, controllerSitesQuery } from '../../queries/controllers.ts'
import classes from './sites.module.css'

/** The sites that a controller has now. Those that are not recorded here can be added, one by one or all. */
export function OfferedSites({ controllerId, isPrimary = false }: { controllerId: string; isPrimary?: boolean }) {
  const { t } = useTranslation()
  const { data, error, refetch, isFetching } = useQuery(controllerSitesQuery(controllerId))
  const add = useMutation({
    ...addControllerSites(controllerId),
    onSuccess: (count) => notifications.show({ message: t('sites-page.added', { count }) }),
  })
  const left = data?.sites.filter(({ site_id }) => site_id === null).length ?? 0
  const addAll = left > 0 && (
    <Button
      variant={isPrimary ? 'filled' : 'default'}
      size={isPrimary ? 'sm' : 'xs'}
      loading={add.isPending}
      onClick={() => add.mutate(undefined)}
    >
      {t('sites-page.add-all', { count: left })}
    </Button>
  )
  return (
    <Panel title={t('sites-page.offered')} actions={addAll}>
      {(error || add.error) && !isFetching && (
        <ErrorMessage error={add.error ?? error} onRetry={() => void refetch()} />
      )}
      {!data && !error && (
        <Group gap="sm" role="status">
          <Loader size="sm" />
          <Text c="dimmed">{t('sites-page.asking')}</Text>
        </Group>
      )}
      {data && (
        <ScrollArea.Autosize mah={420} type="auto" viewportProps={{ tabIndex: data.sites.length > 8 ? 0 : -1 }}>
          <ul className={classes.rows}>
            {data.sites.map((site) => (
              <Row
                key={site.controller_site}
                site={site}
                onAdd={() => add.mutate([{ controller_site: site.controller_site }])}
              />
            ))}
          </ul>
        </ScrollArea.Autosize>
      )}
    </Panel>
  )
}

function Row({ site: { name, controller_site, site_id }, onAdd }: { site: OfferedSite; onAdd: () => void }) {
  const { t } = useTranslation()
  return (
    <li>
      <span style={{ flex: 1, minWidth: 0 }}>
        {name}{' '}
        {name !== controller_site && (
          <Text span c="dimmed" inherit>
            {controller_site}
          </Text>
        )}
      </span>
      {site_id === null ? (
        <Anchor component="button" fz={13.5} mih={24} aria-label={t('sites-page.add-one', { name })} onClick={onAdd}>
          {t('sites-page.add-short')}
        </Anchor>
      ) : (
        <Anchor
          fz={13.5}
          c="dimmed"
          renderRoot={(props) => <Link to="/sites/$siteId" params={{ siteId: String(site_id) }} {...props} />}
        >
          {t('sites-page.number', { id: site_id })}
        </Anchor>
      )}
    </li>
  )
}
