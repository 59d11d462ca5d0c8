import { Anchor, Group, Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { isEmail, isNotEmpty, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { CreatedPerson, NewPerson, StaffMember } from '../../../../../client/voucher-api.generated.ts'
import { api, toApiError } from '../../../api.ts'
import { changedFields } from '../../../changed-fields.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { SitesField } from '../../../components/sites-field.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { usePerson } from '../../../session.tsx'
import { useScope } from '../../../sites.ts'
import { SaveLine } from '../save-line.tsx'

export type Act = 'link' | 'sign-out' | 'deactivate' | 'activate'

/** The actions for a person. A deactivated person has no session and may not get a link. */
export function actsFor({ active, state }: StaffMember): Act[] {
  if (!active) return ['activate']
  return state === 'invited' ? ['link', 'deactivate'] : ['link', 'sign-out', 'deactivate']
}

type Props = {
  /** Undefined: a new person is invited. */
  person: StaffMember | undefined
  onInvited: (created: CreatedPerson) => void
  onAct: (act: Act, person: StaffMember) => void
  onClose: () => void
}

/** Invites a person, or changes one. It offers only the rights that the person who is signed in may give. */
export function PersonDialog({ person, onInvited, onAct, onClose }: Props) {
  const { t } = useTranslation()
  const me = usePerson()
  const form = usePersonForm(person)
  const { role } = form.values
  const save = useSave(form, { person, onInvited, onClose })
  const isKnown = Object.keys(form.errors).length > 0
  return (
    <Dialog
      opened
      onClose={onClose}
      title={person ? person.name : t('settings.invite-title')}
      isSticky={form.isDirty()}
    >
      <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack gap="md">
          <TextInput data-autofocus label={t('person.name')} {...form.getInputProps('name')} />
          {person ? (
            <Text fz={13.5} c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {person.email}
            </Text>
          ) : (
            <TextInput type="email" autoComplete="off" label={t('sign-in.email')} {...form.getInputProps('email')} />
          )}
          <RoleField form={form} />
          {role !== 'admin' && (
            <SitesField
              label={t('nav.sites')}
              canBeAll={me.all_sites}
              value={form.values.sites}
              onChange={(sites) => form.setFieldValue('sites', sites)}
              error={form.errors['sites'] as string | undefined}
            />
          )}
          <Select
            label={t('person.language')}
            allowDeselect={false}
            data={[
              { value: '', label: t('settings.language-of-browser') },
              ...(['de', 'en'] as const).map((value) => ({ value, label: t(`languages.${value}`) })),
            ]}
            {...form.getInputProps('language')}
          />
          {save.error && !isKnown && <ErrorMessage error={save.error} />}
          <SaveLine
            isDirty={person !== undefined && form.isDirty()}
            isBusy={save.isPending}
            action={t(person ? 'settings.save' : 'settings.invite-submit')}
            failure={save.error}
            onCancel={onClose}
          />
          {person && !form.isDirty() && <Acts person={person} onAct={onAct} />}
        </Stack>
      </form>
    </Dialog>
  )
}

function usePersonForm(person: StaffMember | undefined) {
  const { t } = useTranslation()
  const { site } = useScope()
  const form = useForm({
    initialValues: {
      name: person?.name ?? '',
      email: person?.email ?? '',
      role: person?.role ?? 'desk',
      sites: (person ? (person.all_sites ? 'all' : person.site_ids) : site ? [site.id] : []) as number[] | 'all',
      language: (person?.language ?? '') as 'de' | 'en' | '',
    },
    validateInputOnBlur: ['name', 'email'],
    clearInputErrorOnChange: true,
    validate: {
      name: isNotEmpty(t('first-run.name-missing')),
      email: isEmail(t('first-run.email-wrong')),
      sites: (sites, { role }) => (role !== 'admin' && sites.length === 0 ? t('settings.sites-missing') : null),
    },
  })
  return form
}

type Form = ReturnType<typeof usePersonForm>

function fieldsOf({ name, role, sites, language }: Form['values']): Omit<NewPerson, 'email'> {
  const granted = role === 'admin' ? {} : sites === 'all' ? { all_sites: true as const } : { site_ids: sites }
  return { name: name.trim(), role, language: language === '' ? null : language, ...granted }
}

function useSave(form: Form, { person, onInvited, onClose }: Pick<Props, 'person' | 'onInvited' | 'onClose'>) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (values: Form['values']) => {
      const fields = fieldsOf(values)
      if (!person) return onInvited(await api.createPerson({ ...fields, email: values.email }))
      const change = changedFields(fieldsOf(form.getInitialValues()), fields)
      const saved = change ? await api.updatePerson(person.id, change) : person
      const isLinkOver = person.link_expires_at !== null && saved.link_expires_at === null
      notifications.show({ message: isLinkOver ? t('settings.saved-link-ended') : t('settings.saved') })
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['staff'] }),
    onError: (error) => {
      const { error: code, errors, message } = toApiError(error)
      const shown = errors.filter(({ field }) => field === 'name' || field === 'email')
      form.setErrors(Object.fromEntries(shown.map(({ field, message }) => [field, message])))
      if (code === 'email_taken' || code === 'email_invalid') form.setFieldError('email', message)
    },
  })
}

/** Managers can give only the role desk, so they have no choice. */
function RoleField({ form }: { form: Form }) {
  const { t } = useTranslation()
  if (usePerson().role !== 'admin') return null
  return (
    <Radio.Group label={t('settings.role')} {...form.getInputProps('role')}>
      <Stack gap={8} mt={4}>
        {(['desk', 'manager', 'admin'] as const).map((role) => (
          <Radio key={role} value={role} label={t(`roles.${role}`)} description={t(`settings.role-${role}`)} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

function Acts({ person, onAct }: { person: StaffMember; onAct: Props['onAct'] }) {
  const { t } = useTranslation()
  return (
    <Group gap="lg" pt="md" style={{ borderTop: '1px solid var(--vs-line)' }}>
      {actsFor(person).map((act) => (
        <Anchor
          key={act}
          component="button"
          type="button"
          fz={13.5}
          {...(act === 'deactivate' && { c: 'var(--vs-bad-text)' })}
          onClick={() => onAct(act, person)}
        >
          {t(`settings.act-${act}`)}
        </Anchor>
      ))}
    </Group>
  )
}
