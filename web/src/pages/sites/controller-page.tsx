import { Button, Group, Skeleton, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlugConnected } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Controller } from '../../../../client/voucher-api.generated.ts'
import { ConnectionTest } from '../../components/controller/connection-test.tsx'
import { useRecordedTest } from '../../components/controller/use-recorded-test.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Panel } from '../../components/panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { usePageTitle } from '../../house.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { controllerQuery, deleteController } from '../../queries/controllers.ts'
import { ControllerFacts } from './controller-facts.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { OfferedSites } from './offered-sites.tsx'
import { BackLink } from './site-page.tsx'
import classes from './sites.module.css'

addTexts({ de, en })

/** One controller: the test of its connection, its access, the sites that it has, and its removal. */
export function ControllerPage() {
  const { controllerId } = useParams({ from: '/shell/sites/controllers/$controllerId' })
  const { data, error, refetch } = useQuery(controllerQuery(controllerId))
  return (
    <>
      <BackLink />
      {error && !data && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={380} radius="lg" mt="md" />}
      {data && <Administration key={controllerId} controller={data} />}
    </>
  )
}

function Administration({ controller }: { controller: Controller }) {
  const { t } = useTranslation()
  usePageTitle(controller.name)
  const { test, run, remedies } = useRecordedTest({
    controllerId: controller.id,
    pinned: controller.certificate_pin,
  })
  // Once, when the page opens.
  useEffect(run, [])
  return (
    <>
      <Group justify="space-between" mb={20} mt={4}>
        <div>
          <Title order={1}>{controller.name}</Title>
          <Text c="dimmed" fz={13.5}>
            {t('sites-page.count', { count: controller.sites })}
            {test.check?.version && ` · ${t('sites-page.version', { version: test.check.version })}`}
          </Text>
        </div>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} aria-hidden />}
          loading={test.isRunning}
          onClick={run}
        >
          {t('connection-test.run-again')}
        </Button>
      </Group>
      <div className={classes.detail}>
        <ConnectionTest test={test} remedies={remedies} />
        <div className={classes.column}>
          <ControllerFacts controller={controller} onChanged={run} />
          {test.check?.ok && <OfferedSites controllerId={controller.id} />}
          <Removal controller={controller} />
        </div>
      </div>
    </>
  )
}

function Removal({ controller }: { controller: Controller }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const remove = useMutation({
    ...deleteController(controller.id),
    onSuccess: async () => {
      notifications.show({ message: t('sites-page.removed', { name: controller.name }) })
      await navigate({ to: '/sites' })
    },
  })
  if (controller.sites > 0) return null
  return (
    <Panel title={t('sites-page.remove-controller')} text={t('sites-page.remove-controller-text')}>
      <Group>
        <Button variant="default" c="var(--vs-bad-text)" onClick={() => setIsAsking(true)}>
          {t('sites-page.remove')}
        </Button>
      </Group>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title={t('sites-page.remove-title', { name: controller.name })}
        action={t('sites-page.remove-controller-submit')}
        mutation={remove}
      >
        {t('sites-page.remove-controller-text')}
      </ConfirmDialog>
    </Panel>
  )
}
