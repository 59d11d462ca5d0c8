import { Anchor, Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site, SiteEffects } from '../../../../client/voucher-api.generated.ts'
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx'
import { Panel } from '../../components/panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { deleteSite, siteEffectsQuery, updateSite } from '../../queries/sites.ts'

/** Renames, deactivates, activates and removes a site. */
export function SiteActions({ site }: { site: Site }) {
  const { t } = useTranslation()
  const [dialog, setDialog] = useState<'rename' | 'deactivate' | 'remove'>()
  const close = () => setDialog(undefined)
  const activate = useMutation(updateSite(site))
  return (
    <Panel
      title={t(site.active ? 'sites-page.active-title' : 'sites-page.inactive-title')}
      text={t(site.active ? 'sites-page.active-text' : 'sites-page.inactive-text')}
    >
      {activate.error && <ErrorMessage error={activate.error} />}
      <Group gap="sm">
        <Button variant="default" onClick={() => setDialog('rename')}>
          {t('sites-page.rename')}
        </Button>
        {site.active ? (
          <Button variant="default" c="var(--vs-bad-text)" onClick={() => setDialog('deactivate')}>
            {t('sites-page.deactivate')}
          </Button>
        ) : (
          <>
            <Button variant="default" loading={activate.isPending} onClick={() => activate.mutate({ active: true })}>
              {t('sites-page.activate')}
            </Button>
            <Anchor component="button" c="var(--vs-bad-text)" fz={13.5} onClick={() => setDialog('remove')}>
              {t('sites-page.remove')}
            </Anchor>
          </>
        )}
      </Group>
      {dialog === 'rename' && <RenameDialog site={site} onClose={close} />}
      {dialog === 'deactivate' && <DeactivateDialog site={site} onClose={close} />}
      {dialog === 'remove' && <RemoveDialog site={site} onClose={close} />}
    </Panel>
  )
}

type DialogProps = { site: Site; onClose: () => void }

function RenameDialog({ site, onClose }: DialogProps) {
  const { t } = useTranslation()
  const { form, ...save } = useSaveForm({
    initialValues: { name: site.name },
    validate: { name: (name) => (name.trim() === '' ? t('sites-page.name-missing') : null) },
    toFields: ({ name }) => ({ name: name.trim() }),
    update: updateSite(site),
    onSaved: onClose,
  })
  return (
    <FormDialog onClose={onClose} title={t('sites-page.rename-title')} form={save} action={t('actions.save')}>
      <TextInput data-autofocus label={t('sites-page.name')} {...form.getInputProps('name')} />
    </FormDialog>
  )
}

/** Names the keys, webhooks and people that are limited to the site. Those for all sites are only counted. */
function DeactivateDialog({ site, onClose }: DialogProps) {
  const { t } = useTranslation()
  const effects = useQuery(siteEffectsQuery(site.id))
  const deactivate = useMutation({
    ...updateSite(site),
    onSuccess: () => {
      notifications.show({ message: t('sites-page.deactivated', { name: site.name }) })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('sites-page.deactivate-title', { name: site.name })}
      action={t('sites-page.deactivate-submit')}
      mutation={{ ...deactivate, mutate: () => deactivate.mutate({ active: false }) }}
      isReady={effects.data !== undefined}
    >
      <Stack gap="sm">
        <span>{t('sites-page.deactivate-text')}</span>
        {effects.data && <Effects effects={effects.data} />}
        {effects.isFetching && !effects.data && <Loader size="sm" />}
        {effects.error && !effects.isFetching && !effects.data && (
          <ErrorMessage error={effects.error} onRetry={() => void effects.refetch()} />
        )}
      </Stack>
    </ConfirmDialog>
  )
}

const kinds = ['keys', 'webhooks', 'people'] as const

function Effects({ effects }: { effects: SiteEffects }) {
  const { t } = useTranslation()
  return (
    <>
      {kinds.map((kind) => {
        const limited = effects.limited[kind]
        const all = effects.all_sites[kind]
        if (limited + all === 0) return null
        const unnamed = limited - effects[kind].length
        return (
          <div key={kind}>
            <Text fw={500}>{t(`sites-page.effect-${kind}`, { count: limited + all })}</Text>
            <Text fz={13.5} c="dimmed">
              {[
                ...effects[kind].map(({ name }) => name),
                ...(unnamed > 0 ? [t('sites-page.effect-more', { count: unnamed })] : []),
                ...(all > 0 ? [t('sites-page.effect-all', { count: all })] : []),
              ].join(', ')}
            </Text>
          </div>
        )
      })}
      <Text fw={500}>{t('sites-page.effect-vouchers', { count: effects.valid_vouchers })}</Text>
    </>
  )
}

function RemoveDialog({ site, onClose }: DialogProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const remove = useMutation({
    ...deleteSite(site.id),
    onSuccess: async () => {
      notifications.show({ message: t('sites-page.removed', { name: site.name }) })
      await navigate({ to: '/sites' })
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('sites-page.remove-title', { name: site.name })}
      action={t('sites-page.remove-submit')}
      mutation={remove}
    >
      {t('sites-page.remove-text')}
    </ConfirmDialog>
  )
}
