import { ActionIcon, Anchor, Button, Group, Menu, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDots, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Template } from '../../../../../client/voucher-api.generated.ts'
import { listAll } from '../../../../../client/voucher-client.ts'
import { api } from '../../../api.ts'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { type Column, DataTable } from '../../../components/table/data-table.tsx'
import { usePerson } from '../../../session.tsx'
import { useScope } from '../../../sites.ts'
import { templateSentence } from '../../desk/words.ts'
import { TemplateDialog } from './template-dialog.tsx'

type Open = { what: 'create' } | { what: 'change' | 'remove'; template: Template }

/** Templates for all sites and for single sites. With a chosen site: those that its desk can use. */
export function TemplatesTab() {
  const { t } = useTranslation()
  const [open, setOpen] = useState<Open>()
  const { data: templates, error, refetch, isFetching } = useTemplates()
  const mayChange = useMayChange()
  const columns = useColumns(setOpen, mayChange)
  const close = () => setOpen(undefined)
  const isOpenable = (template: Template) => mayChange(template) && setOpen({ what: 'change', template })
  return (
    <>
      <Group justify="space-between" mb="md">
        <Text c="dimmed">{t('settings.templates-text')}</Text>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ what: 'create' })}>
          {t('settings.create-template')}
        </Button>
      </Group>
      {error && !templates ? (
        <ErrorMessage error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label={t('settings.templates')}
          rows={templates}
          columns={columns}
          isFetching={isFetching && templates !== undefined}
          empty={<EmptyState title={t('settings.no-templates')} text={t('settings.no-templates-text')} />}
          onOpen={isOpenable}
          phoneRow={(template) => <PhoneRow template={template} />}
        />
      )}
      {(open?.what === 'create' || open?.what === 'change') && (
        <TemplateDialog
          template={open.what === 'change' ? open.template : undefined}
          onRemove={(template) => setOpen({ what: 'remove', template })}
          onClose={close}
        />
      )}
      {open?.what === 'remove' && <RemoveDialog template={open.template} onClose={close} />}
    </>
  )
}

function useTemplates() {
  const { site } = useScope()
  const query = { limit: 200, ...(site && { site_id: site.id }) }
  return useQuery({
    queryKey: ['templates', 'settings', site?.id],
    queryFn: async () => {
      const found: Template[] = []
      for await (const template of listAll((page) => api.listTemplates({ ...query, ...page }))) found.push(template)
      return found
    },
  })
}

/** Only administrators change templates for all sites, because every site uses them. */
function useMayChange(): (template: Template) => boolean {
  const { role } = usePerson()
  return ({ site_id }) => role === 'admin' || site_id !== null
}

function useColumns(setOpen: (open: Open) => void, mayChange: (template: Template) => boolean): Column<Template>[] {
  const { t } = useTranslation()
  return [
    {
      accessor: 'name',
      title: t('person.name'),
      render: (template) =>
        mayChange(template) ? (
          <Anchor
            component="button"
            type="button"
            c="inherit"
            fz="inherit"
            fw={500}
            ta="left"
            onClick={(event) => {
              event.stopPropagation()
              setOpen({ what: 'change', template })
            }}
          >
            {template.name}
          </Anchor>
        ) : (
          <Text fz="inherit" fw={500}>
            {template.name}
          </Text>
        ),
    },
    {
      accessor: 'sentence',
      title: t('settings.voucher'),
      render: (template) => (
        <Text fz="inherit" c="dimmed">
          {templateSentence(t, template)}
        </Text>
      ),
    },
    { accessor: 'site', title: t('settings.for-site'), render: (template) => <Place template={template} /> },
    {
      accessor: 'acts',
      title: '',
      textAlign: 'right',
      width: 72,
      render: (template) =>
        mayChange(template) && (
          <Menu position="bottom-end" shadow="md">
            <Menu.Target>
              <ActionIcon
                aria-label={t('settings.acts', { name: template.name })}
                onClick={(event) => event.stopPropagation()}
              >
                <IconDots size={18} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown onClick={(event) => event.stopPropagation()}>
              <Menu.Item onClick={() => setOpen({ what: 'change', template })}>{t('settings.change')}</Menu.Item>
              <Menu.Item c="var(--vs-bad-text)" onClick={() => setOpen({ what: 'remove', template })}>
                {t('settings.remove')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ),
    },
  ]
}

function Place({ template }: { template: Template }) {
  return (
    <Text fz="inherit" c="dimmed">
      {usePlace(template)}
    </Text>
  )
}

function usePlace({ site_id: siteId }: Template): string {
  const { t } = useTranslation()
  const { sites = [] } = useScope()
  if (siteId === null) return t('settings.all-sites')
  return sites.find(({ id }) => id === siteId)?.name ?? t('settings.site-number', { id: siteId })
}

function PhoneRow({ template }: { template: Template }) {
  const { t } = useTranslation()
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text fw={500} truncate>
          {template.name}
        </Text>
        <Text fz={13} c="dimmed" truncate maw="50%" style={{ flex: 'none' }}>
          {usePlace(template)}
        </Text>
      </Group>
      <Text fz={13} c="dimmed">
        {templateSentence(t, template)}
      </Text>
    </>
  )
}

function RemoveDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { id, name } = template
  const remove = useMutation({
    mutationFn: () => api.deleteTemplate(id),
    onSuccess: () => {
      notifications.show({ message: t('settings.removed', { name }) })
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['templates'] }),
  })
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t('settings.remove-title', { name })}
      action={t('settings.remove-submit')}
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      error={remove.error}
    >
      {t('settings.remove-text')}
    </ConfirmDialog>
  )
}
