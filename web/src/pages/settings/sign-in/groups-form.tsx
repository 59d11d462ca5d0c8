import { ActionIcon, Anchor, Button, Paper, Select, Text, TextInput, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SignInGroups, SignInSettings } from '../../../../../client/voucher-api.generated.ts'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { useSaveForm } from '../../../hooks/use-save-form.ts'
import { updateSignInGroups } from '../../../queries/sign-in-settings.ts'
import { useUnsavedMark } from '../unsaved.ts'
import { DryRun } from './dry-run.tsx'
import classes from './sign-in.module.css'
import { SitesSelect } from './sites-select.tsx'

type Row = {
  group: string
  role: SignInGroups['groups'][number]['role']
  sites: number[] | 'all'
  /** The name of a group that is saved cannot be edited: it would be another group. */
  isNew: boolean
}
type Values = { claim: string; groups: Row[] }

type Props = { stored: SignInSettings; provider: string }

/** The table of groups with the roles and sites that they give, and a dry run of it. */
export function GroupsForm({ stored, provider }: Props) {
  const { t } = useTranslation()
  const { form, element, isSaving, error } = useGroupsForm(stored)
  const isDirty = form.isDirty()
  useUnsavedMark(isDirty)
  const discard = () => {
    const values = toValues(stored)
    form.setValues(values)
    form.resetDirty(values)
    form.clearErrors()
  }
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" className={classes.groups ?? ''}>
      <div className={classes.head}>
        <Title order={2} fz={15} lh="22px">
          {t('sign-in-settings.groups')}
        </Title>
        <Text fz={13.5} c="dimmed">
          {t('sign-in-settings.groups-text')}
        </Text>
      </div>
      <form {...element} id="sign-in-groups">
        <GroupRows form={form} provider={provider} />
      </form>
      <DryRun groups={toFields(form.values)} isDirty={isDirty} provider={provider} />
      {error && (
        <div className={classes.failure}>
          <ErrorMessage error={error} />
        </div>
      )}
      <div className={classes.foot}>
        <Text fz={13.5} c="dimmed">
          {t('sign-in-settings.nothing-yet')}
        </Text>
        <Button variant="default" disabled={!isDirty} onClick={discard}>
          {t('sign-in-settings.discard')}
        </Button>
        <Button type="submit" form="sign-in-groups" loading={isSaving}>
          {t('sign-in-settings.save')}
        </Button>
      </div>
    </Paper>
  )
}

function useGroupsForm(stored: SignInSettings) {
  const { t } = useTranslation()
  const { form, ...save } = useSaveForm({
    initialValues: toValues(stored),
    validate: {
      claim: (claim: string) => (claim.trim() === '' ? t('sign-in-settings.claim-missing') : null),
      groups: {
        group: (group: string, { groups }: Values) => {
          if (group.trim() === '') return t('sign-in-settings.group-missing')
          const isTwice = groups.filter((one) => one.group.trim() === group.trim()).length > 1
          return isTwice ? t('sign-in-settings.group-twice') : null
        },
        sites: (sites: Row['sites']) => (sites.length === 0 ? t('settings.sites-missing') : null),
      },
    },
    toFields,
    create: updateSignInGroups,
    onSaved: (saved) => {
      if (!saved) return
      const values = toValues(saved)
      form.setValues(values)
      form.resetDirty(values)
      notifications.show({ message: t('sign-in-settings.saved') })
    },
  })
  return { form, ...save }
}

type Form = ReturnType<typeof useGroupsForm>['form']

function GroupRows({ form, provider }: { form: Form; provider: string }) {
  const { t } = useTranslation()
  const [added, setAdded] = useState(0)
  const add = () => {
    form.insertListItem('groups', { group: '', role: 'desk', sites: [], isNew: true } satisfies Row)
    setAdded(added + 1)
  }
  return (
    <>
      {form.values.groups.length === 0 ? (
        <Text className={classes.empty ?? ''}>{t('sign-in-settings.no-groups', { provider })}</Text>
      ) : (
        <div className={classes.columns} aria-hidden>
          <span>{t('sign-in-settings.group-in', { provider })}</span>
          <span>{t('settings.role')}</span>
          <span>{t('nav.sites')}</span>
        </div>
      )}
      <ul className={classes.rows} aria-label={t('sign-in-settings.groups')}>
        {form.values.groups.map((row, i) => (
          // Rows have no id, and a new one has no name yet.
          <GroupRow key={`${i} ${row.isNew ? '' : row.group}`} form={form} row={row} place={i} provider={provider} />
        ))}
      </ul>
      <div className={classes.under}>
        <Anchor component="button" type="button" fz={13.5} fw={500} className={classes.add ?? ''} onClick={add}>
          <IconPlus size={16} aria-hidden />
          {t('sign-in-settings.add')}
        </Anchor>
        <TextInput
          className={classes.claim ?? ''}
          label={t('sign-in-settings.claim')}
          classNames={{ input: 'code' }}
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          aria-describedby="claim-text"
          {...form.getInputProps('claim')}
        />
        <Text id="claim-text" fz={13} c="dimmed" className={classes.claimText ?? ''}>
          {t('sign-in-settings.claim-text', { provider })}
        </Text>
      </div>
    </>
  )
}

type RowProps = { form: Form; row: Row; place: number; provider: string }

function GroupRow({ form, row, place, provider }: RowProps) {
  const { t } = useTranslation()
  const name = row.group || t('sign-in-settings.new-group')
  const path = `groups.${place}` as const
  const { role, isNew } = row
  const choose = (value: string | null) => {
    form.setFieldValue(`${path}.role`, (value ?? role) as Row['role'])
    if (value === 'admin') form.setFieldValue(`${path}.sites`, 'all')
  }
  return (
    <li className={classes.row}>
      {isNew ? (
        <TextInput
          autoFocus
          className={classes.groupCell ?? ''}
          aria-label={t('sign-in-settings.group-in', { provider })}
          placeholder={t('sign-in-settings.group-example')}
          classNames={{ input: 'code' }}
          autoComplete="off"
          spellCheck={false}
          maxLength={256}
          {...form.getInputProps(`${path}.group`)}
        />
      ) : (
        <span className={`code ${classes.group} ${classes.groupCell}`}>{row.group}</span>
      )}
      <Select
        className={classes.roleCell ?? ''}
        aria-label={t('sign-in-settings.role-of', { group: name })}
        allowDeselect={false}
        data={(['admin', 'manager', 'desk'] as const).map((value) => ({ value, label: t(`roles.${value}`) }))}
        value={role}
        onChange={choose}
      />
      {role === 'admin' ? (
        <span className={classes.sites}>{t('settings.all-sites')}</span>
      ) : (
        <SitesSelect
          label={t('sign-in-settings.sites-of', { group: name })}
          value={row.sites}
          onChange={(sites) => form.setFieldValue(`${path}.sites`, sites)}
          error={form.errors[`${path}.sites`] as string | undefined}
        />
      )}
      <ActionIcon
        className={classes.remove ?? ''}
        aria-label={t('sign-in-settings.remove', { group: name })}
        onClick={() => form.removeListItem('groups', place)}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </li>
  )
}

function toValues({ claim, groups }: SignInSettings): Values {
  return {
    claim,
    groups: groups.map(({ group, role, site_ids: ids }) => ({ group, role, sites: ids ?? 'all', isNew: false })),
  }
}

function toFields({ claim, groups }: Values): SignInGroups {
  return {
    claim: claim.trim(),
    groups: groups.map(({ group, role, sites }) => ({
      group: group.trim(),
      role,
      site_ids: sites === 'all' ? null : sites,
    })),
  }
}
