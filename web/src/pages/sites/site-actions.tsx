import { Anchor, Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site, SiteEffects } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import { ConfirmDialog, Dialog, DialogActions } from '../../components/dialog.tsx'
import { Panel } from '../../components/panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { sitesQuery } from '../../sites.ts'

type Props = { site: Site; onChanged: () => void }

/** Renames, deactivates, activates and removes a site. */
export function SiteActions({ site, onChanged }: Props) {
  const { t } = useTranslation()
  const [dialog, setDialog] = useState<'rename' | 'deactivate' | 'remove'>()
  const close = () => setDialog(undefined)
  const activate = useMutation({ mutationFn: () => api.updateSite(site.id, { active: true }), onSuccess: onChanged })
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
            <Button variant="default" loading={activate.isPending} onClick={() => activate.mutate()}>
              {t('sites-page.activate')}
            </Button>
            <Anchor component="button" c="var(--vs-bad-text)" fz={13.5} onClick={() => setDialog('remove')}>
              {t('sites-page.remove')}
            </Anchor>
          </>
        )}
      </Group>
      {dialog === 'rename' && <RenameDialog site={site} onClose={close} onChanged={onChanged} />}
      {dialog === 'deactivate' && <DeactivateDialog site={site} onClose={close} onChanged={onChanged} />}
      {dialog === 'remove' && <RemoveDialog site={site} onClose={close} />}
    </Panel>
  )
}

type DialogProps = Props & { onClose: () => void }

function RenameDialog({ site, onClose, onChanged }: DialogProps) {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: { name: site.name },
    validate: { name: (name) => (name.trim() === '' ? t('sites-page.name-missing') : null) },
  })
  const save = useMutation({
    mutationFn: ({ name }: { name: string }) => api.updateSite(site.id, { name: name.trim() }),
    onSuccess: () => {
      onChanged()
      onClose()
    },
  })
  return (
    <Dialog opened onClose={onClose} title={t('sites-page.rename-title')}>
      <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack gap="md">
          <TextInput data-autofocus label={t('sites-page.name')} {...form.getInputProps('name')} />
          {save.error && <ErrorMessage error={save.error} />}
          <DialogActions onCancel={onClose}>
            <Button type="submit" loading={save.isPending}>
              {t('sites-page.save')}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  )
}

/** Names the keys, webhooks and people that are limited to the site. Those for all sites are only counted. */
function DeactivateDialog({ site, onClose, onChanged }: DialogProps) {
  const { t } = useTranslation()
  const effects = useQuery({
    queryKey: ['site-effects', site.id],
    queryFn: () => api.getSiteEffects(site.id),
    gcTime: 0,
  })
  const deactivate = useMutation({
    mutationFn: () => api.updateSite(site.id, { active: false }),
    onSuccess: () => {
      notifications.show({ message: t('sites-page.deactivated', { name: site.name }) })
      onChanged()
      onClose()
    },
  })
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t('sites-page.deactivate-title', { name: site.name })}
      action={t('sites-page.deactivate-submit')}
      onConfirm={() => deactivate.mutate()}
      isBusy={deactivate.isPending}
      isReady={effects.data !== undefined}
      error={deactivate.error}
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

function RemoveDialog({ site, onClose }: { site: Site; onClose: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => api.deleteSite(site.id),
    onSuccess: async () => {
      notifications.show({ message: t('sites-page.removed', { name: site.name }) })
      await navigate({ to: '/sites' })
      await queries.invalidateQueries({ queryKey: sitesQuery.queryKey })
    },
  })
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t('sites-page.remove-title', { name: site.name })}
      action={t('sites-page.remove-submit')}
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      error={remove.error}
    >
      {t('sites-page.remove-text')}
    </ConfirmDialog>
  )
}
