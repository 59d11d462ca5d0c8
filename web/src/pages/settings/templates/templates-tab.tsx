import { ActionIcon, Anchor, Button, Group, Menu, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconGripVertical, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Template } from '../../../../../client/voucher-api.generated.ts'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { MoreMenu } from '../../../components/more-menu.tsx'
import { showFailure } from '../../../components/show-failure.ts'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { type Column, DataTable } from '../../../components/table/data-table.tsx'
import { templateName, templateSentence } from '../../../components/voucher/voucher-words.ts'
import { deleteTemplate, templatesQuery, updateTemplate } from '../../../queries/templates.ts'
import { usePerson } from '../../../session.tsx'
import { useFindSite, useScope } from '../../../sites.ts'
import { TemplateDialog } from './template-dialog.tsx'
import classes from './templates.module.css'
import { useTemplateOrder } from './use-template-order.ts'

type Open = { what: 'create' } | { what: 'change' | 'remove'; template: Template }

/** Templates for all sites and for single sites, in the order of the desk. With a chosen site: those that its desk can use. */
export function TemplatesTab() {
  const { t } = useTranslation()
  const [open, setOpen] = useState<Open>()
  const { site } = useScope()
  const { data: templates, error, refetch, isFetching } = useQuery(templatesQuery(site?.id))
  const mayChange = useMayChange()
  const order = useTemplateOrder(templates ?? [], site?.id)
  const moveBy = ({ id }: Template, steps: number) => order.move(id, order.placeOf(id) + steps)
  const menu = (template: Template) =>
    mayChange(template) && (
      <TemplateMenu
        template={template}
        onOpen={(what) => setOpen({ what, template })}
        {...(order.placeOf(template.id) > 0 && { onUp: () => moveBy(template, -1) })}
        {...(order.placeOf(template.id) + 1 < (templates?.length ?? 0) && { onDown: () => moveBy(template, 1) })}
      />
    )
  const columns: Column<Template>[] = [
    {
      accessor: 'order',
      title: <VisuallyHidden>{t('settings.order')}</VisuallyHidden>,
      width: 60,
      render: (template) =>
        mayChange(template) && (
          <Tooltip label={t('settings.move-hint')}>
            <ActionIcon
              className={classes.handle ?? ''}
              aria-label={t('settings.move', { name: templateName(t, template) })}
              onClick={(event) => event.stopPropagation()}
              onKeyDown={(event) => order.moveByArrow(event, template.id)}
              {...order.handle(template.id)}
            >
              <IconGripVertical size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        ),
    },
    {
      accessor: 'name',
      title: t('person.name'),
      render: (template) => (
        <Name
          template={template}
          {...(mayChange(template) && { onOpen: () => setOpen({ what: 'change', template }) })}
        />
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
    { accessor: 'acts', title: '', textAlign: 'right', width: 72, render: menu },
  ]
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
          rowAttributes={({ id }) => order.row(id)}
          phoneRow={(template) => <PhoneRow template={template} />}
          phoneEnd={menu}
        />
      )}
      <VisuallyHidden role="status">{order.announcement}</VisuallyHidden>
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

/** Only administrators change templates for all sites, because every site uses them. */
function useMayChange(): (template: Template) => boolean {
  const { role } = usePerson()
  return ({ site_id }) => role === 'admin' || site_id !== null
}

function Name({ template, onOpen }: { template: Template; onOpen?: () => void }) {
  const { t } = useTranslation()
  const name = templateName(t, template)
  return (
    <Group gap="xs" wrap="nowrap">
      {onOpen ? (
        <Anchor
          component="button"
          type="button"
          c="inherit"
          fz="inherit"
          fw={500}
          ta="left"
          onClick={(event) => {
            event.stopPropagation()
            onOpen()
          }}
        >
          {name}
        </Anchor>
      ) : (
        <Text fz="inherit" fw={500}>
          {name}
        </Text>
      )}
      {template.is_default && <span className={classes.default}>{t('settings.default')}</span>}
    </Group>
  )
}

type MenuProps = {
  template: Template
  onOpen: (what: 'change' | 'remove') => void
  onUp?: () => void
  onDown?: () => void
}

function TemplateMenu({ template, onOpen, onUp, onDown }: MenuProps) {
  const { t } = useTranslation()
  const name = templateName(t, template)
  const isDefault = template.is_default
  const { mutate } = useMutation({
    ...updateTemplate(template.id),
    onSuccess: () =>
      notifications.show({ message: t(isDefault ? 'settings.default-unset' : 'settings.default-set', { name }) }),
    onError: (error) => showFailure(t, error),
  })
  return (
    <MoreMenu label={t('table.acts', { name })}>
      <Menu.Item onClick={() => onOpen('change')}>{t('settings.change')}</Menu.Item>
      <Menu.Item onClick={() => mutate({ is_default: !isDefault })}>
        {t(isDefault ? 'settings.no-default' : 'settings.make-default')}
      </Menu.Item>
      {onUp && <Menu.Item onClick={onUp}>{t('settings.move-up')}</Menu.Item>}
      {onDown && <Menu.Item onClick={onDown}>{t('settings.move-down')}</Menu.Item>}
      <Menu.Item c="var(--vs-bad-text)" onClick={() => onOpen('remove')}>
        {t('settings.remove')}
      </Menu.Item>
    </MoreMenu>
  )
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
  const find = useFindSite()
  if (siteId === null) return t('settings.all-sites')
  return find(siteId)?.name ?? t('settings.site-number', { id: siteId })
}

function PhoneRow({ template }: { template: Template }) {
  const { t } = useTranslation()
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <Text fw={500} truncate>
            {templateName(t, template)}
          </Text>
          {template.is_default && <span className={classes.default}>{t('settings.default')}</span>}
        </Group>
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
  const name = templateName(t, template)
  const remove = useMutation({
    ...deleteTemplate(template.id),
    onSuccess: () => {
      notifications.show({ message: t('settings.removed', { name }) })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('settings.remove-title', { name })}
      action={t('settings.remove-submit')}
      mutation={remove}
    >
      {t('settings.remove-text')}
    </ConfirmDialog>
  )
}
