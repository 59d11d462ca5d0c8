import { Button, Code, Group, Menu, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Webhook } from '../../../../client/voucher-api.generated.ts'
import { MoreMenu } from '../../components/more-menu.tsx'
import { Panel } from '../../components/panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { orValue } from '../../newer-values.ts'
import { testWebhook } from '../../queries/webhook-changes.ts'
import { useFindSite } from '../../sites.ts'
import { FailureBanner, TestResult, useLongTime } from './banner.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { useMayChange } from './webhook-data.ts'
import { EditDialog, RemoveDialog, RotateDialog, UrlDialog } from './webhook-dialogs.tsx'
import classes from './webhooks.module.css'

type DialogName = 'edit' | 'url' | 'rotate' | 'remove'

/** The chosen webhook: its state, what it gets, and the log of its deliveries. */
export function WebhookPanel({ webhook, onRemoved }: { webhook: Webhook; onRemoved: () => void }) {
  const { t } = useTranslation()
  const mayChange = useMayChange(webhook)
  const [dialog, setDialog] = useState<DialogName>()
  const test = useMutation(testWebhook(webhook.id))
  const close = () => setDialog(undefined)
  const actions = mayChange && (
    <Group gap="xs" wrap="nowrap">
      <Button
        variant="default"
        leftSection={<IconSend size={16} aria-hidden />}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        {t('webhooks.send-test')}
      </Button>
      <MoreMenu variant="default" size={36} label={t('webhooks.more')}>
        <Menu.Item onClick={() => setDialog('edit')}>{t('webhooks.edit')}</Menu.Item>
        <Menu.Item onClick={() => setDialog('url')}>{t('webhooks.change-url')} …</Menu.Item>
        {webhook.signed && <Menu.Item onClick={() => setDialog('rotate')}>{t('webhooks.rotate')}</Menu.Item>}
        <Menu.Item c="var(--vs-bad-text)" onClick={() => setDialog('remove')}>
          {t('webhooks.remove')}
        </Menu.Item>
      </MoreMenu>
    </Group>
  )
  return (
    <div className={classes.right}>
      <Panel title={webhook.name} actions={actions}>
        {test.data && <TestResult name={webhook.name} result={test.data} onClose={test.reset} />}
        {test.error && <ErrorMessage error={test.error} />}
        <FailureBanner webhook={webhook} mayChange={mayChange} onChangeUrl={() => setDialog('url')} />
        {!mayChange && <Text c="dimmed">{t('webhooks.only-admins')}</Text>}
        <Facts webhook={webhook} />
      </Panel>
      <DeliveryLog webhook={webhook} mayReplay={mayChange && webhook.disabled_at === null} />
      {dialog === 'edit' && <EditDialog webhook={webhook} onClose={close} />}
      {dialog === 'url' && <UrlDialog webhook={webhook} onClose={close} />}
      {dialog === 'rotate' && <RotateDialog webhook={webhook} onClose={close} />}
      {dialog === 'remove' && <RemoveDialog webhook={webhook} onClose={close} onRemoved={onRemoved} />}
    </div>
  )
}

const namesShown = 5

function Facts({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation()
  const find = useFindSite()
  const longTime = useLongTime()
  const { site_ids: ids } = webhook
  const names = ids.slice(0, namesShown).map((id) => find(id)?.name ?? `#${id}`)
  const shown = `${names.join(', ')}${ids.length > namesShown ? ' …' : ''}`
  return (
    <dl className={classes.facts}>
      <dt>{t('webhooks.format')}</dt>
      <dd>
        {t(`webhooks.format-${webhook.format}`, orValue(webhook.format))}
        {!webhook.signed && ` · ${t(`languages.${webhook.language}`, orValue(webhook.language))}`}
      </dd>
      <dt>{t('webhooks.events')}</dt>
      <dd>
        {webhook.events.map((type) => (
          <Code key={type} bg="transparent" fz={13} p={0} mr="sm" style={{ display: 'inline-block' }}>
            {type}
          </Code>
        ))}
      </dd>
      <dt>{t('webhooks.sites')}</dt>
      <dd>
        {webhook.all_sites ? t('webhooks.all-sites') : t('webhooks.site-count', { count: ids.length, names: shown })}
      </dd>
      {webhook.previous_secret_until && (
        <dd style={{ gridColumn: '1 / -1' }}>
          {t('webhooks.both-secrets', { time: longTime(webhook.previous_secret_until) })}
        </dd>
      )}
    </dl>
  )
}
