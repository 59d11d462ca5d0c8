import { Anchor, Group, Radio, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { isEmail, isNotEmpty } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import type {
  CreatedPerson,
  NewPerson,
  Person,
  PersonChange,
  StaffMember,
} from '../../../../../client/voucher-api.generated.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { checkIssuing, IssuingFields } from '../../../components/issuing/issuing-fields.tsx'
import { issuingInputOf, issuingNames, toIssuing } from '../../../components/issuing/issuing-input.ts'
import { SitesField } from '../../../components/sites-field.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { useSaveForm } from '../../../hooks/use-save-form.ts'
import { orValue } from '../../../newer-values.ts'
import { useProviderName } from '../../../provider-name.ts'
import { createPerson, updatePerson } from '../../../queries/people.ts'
import { usePerson, useSession } from '../../../session.tsx'
import { useScope } from '../../../sites.ts'
import { SaveLine } from '../save-line.tsx'
import { useSitesWords } from '../use-sites-words.ts'
import { SendByEmail } from './send-by-email.tsx'

export type Act = 'link' | 'sign-out' | 'reset-factors' | 'unlink' | 'deactivate' | 'activate'

/**
 * The actions for a person. A deactivated person has no session and may not get a link. Only administrators unlink accounts, and
 * create links and remove factors for people of the provider.
 */
export function actsFor(
  { active, state, identity, rights_from_groups: hasGroupRights, second_factors: factors = [] }: StaffMember,
  role: Person['role'],
): Act[] {
  const mayLetIn = role === 'admin' || !(identity || hasGroupRights)
  const link: Act[] = mayLetIn ? ['link'] : []
  const reset: Act[] = mayLetIn && factors.length > 0 ? ['reset-factors'] : []
  const unlink: Act[] = identity && role === 'admin' ? ['unlink'] : []
  if (!active) return ['activate', ...unlink]
  if (state === 'invited') return [...link, 'deactivate']
  return [...link, 'sign-out', ...reset, ...unlink, 'deactivate']
}

export function isDestructive(act: Act): boolean {
  return act === 'deactivate' || act === 'unlink'
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
  const { form, element, isSaving, error } = usePersonForm({ person, onInvited, onClose })
  const { link_mail: hasLinkMail } = useSession()
  const { role, hasGroupRights } = form.values
  return (
    <Dialog onClose={onClose} title={person ? person.name : t('settings.invite-title')} isSticky={form.isDirty()}>
      <form {...element}>
        <Stack gap="md">
          <TextInput data-autofocus label={t('person.name')} {...form.getInputProps('name')} />
          {person ? (
            <Text component="div" fz={13.5} c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              <div>{person.email}</div>
              <FactorWords person={person} />
            </Text>
          ) : (
            <>
              <TextInput type="email" autoComplete="off" label={t('sign-in.email')} {...form.getInputProps('email')} />
              {hasLinkMail && (
                <SendByEmail
                  description={t('link-mail.send-what-new')}
                  {...form.getInputProps('sendsEmail', { type: 'checkbox' })}
                />
              )}
            </>
          )}
          {person?.identity && <GroupRights person={person} form={form} />}
          {!hasGroupRights && <RoleField form={form} />}
          {role !== 'admin' && !hasGroupRights && (
            <SitesField
              label={t('nav.sites')}
              canBeAll={me.all_sites}
              value={form.values.sites}
              onChange={(sites) => form.setFieldValue('sites', sites)}
              error={form.errors['sites'] as string | undefined}
            />
          )}
          <IssuingFields form={form} />
          <Select
            label={t('person.language')}
            allowDeselect={false}
            data={[
              { value: '', label: t('settings.language-of-browser') },
              ...(['de', 'en'] as const).map((value) => ({ value, label: t(`languages.${value}`) })),
            ]}
            {...form.getInputProps('language')}
          />
          {error && <ErrorMessage error={error} />}
          <SaveLine
            isDirty={person !== undefined && form.isDirty()}
            isBusy={isSaving}
            action={t(person ? 'actions.save' : 'settings.invite-submit')}
            onCancel={onClose}
          />
          {person && !form.isDirty() && <Acts person={person} onAct={onAct} />}
        </Stack>
      </form>
    </Dialog>
  )
}

/** Which second factors the person has. */
export function FactorWords({ person }: { person: StaffMember }) {
  const { t } = useTranslation()
  const { second_factors: factors = [] } = person // a process of an older version does not send them
  const kinds = factors.map((kind) => t(`settings.factor-${kind}`, orValue(kind)))
  return (
    <>
      {t('settings.factor')} {kinds.length === 0 ? t('settings.factor-none') : kinds.join(', ')}
    </>
  )
}

function usePersonForm({ person, onInvited, onClose }: Pick<Props, 'person' | 'onInvited' | 'onClose'>) {
  const { t } = useTranslation()
  const { site } = useScope()
  const me = usePerson()
  const { link_mail: hasLinkMail } = useSession()
  const limitsForNew = me.role === 'admin' ? undefined : me.limits // a manager cannot give others more
  return useSaveForm({
    initialValues: {
      name: person?.name ?? '',
      email: person?.email ?? '',
      role: person?.role ?? 'desk',
      sites: (person ? (person.all_sites ? 'all' : person.site_ids) : site ? [site.id] : []) as number[] | 'all',
      language: (person?.language ?? '') as 'de' | 'en' | '',
      hasGroupRights: person?.rights_from_groups ?? false,
      sendsEmail: hasLinkMail,
      ...issuingInputOf(person ?? limitsForNew),
    },
    validateInputOnBlur: ['name', 'email'],
    validate: {
      name: isNotEmpty(t('person.name-missing')),
      email: isEmail(t('person.email-wrong')),
      ...checkIssuing(t),
      sites: (sites, { role, hasGroupRights }) =>
        role !== 'admin' && !hasGroupRights && sites.length === 0 ? t('settings.sites-missing') : null,
    },
    toFields: ({
      name,
      email,
      role,
      sites,
      language,
      hasGroupRights,
      sendsEmail,
      ...limits
    }): NewPerson & PersonChange => ({
      name: name.trim(),
      email,
      ...(!person && sendsEmail && { send_email: true }),
      language: language === '' ? null : language,
      ...toIssuing(limits),
      ...(person?.identity && { rights_from_groups: hasGroupRights }),
      ...(hasGroupRights && person // role and sites stay as they are until the next sign-in
        ? rightsOf({ role: person.role, sites: person.all_sites ? 'all' : person.site_ids })
        : rightsOf({ role, sites })),
    }),
    ...(person ? { update: updatePerson(person.id) } : { create: createPerson }),
    fields: { site_ids: 'sites', email_taken: 'email', email_invalid: 'email', ...issuingNames },
    onSaved: (saved) => {
      if (saved && 'password_link' in saved) return onInvited(saved)
      const isAccessOver = person?.state === 'active' && saved?.state === 'invited'
      const isLinkOver = person?.link_expires_at !== null && saved?.link_expires_at === null
      const ended = isAccessOver ? 'settings.saved-access-ended' : 'settings.saved-link-ended'
      notifications.show({ message: t(isAccessOver || isLinkOver ? ended : 'actions.saved') })
      onClose()
    },
  })
}

type Rights = { role: StaffMember['role']; sites: number[] | 'all' }

function rightsOf({ role, sites }: Rights): Pick<NewPerson, 'role' | 'all_sites' | 'site_ids'> {
  if (role === 'admin') return { role }
  return { role, ...(sites === 'all' ? { all_sites: true } : { site_ids: sites }) }
}

type Form = ReturnType<typeof usePersonForm>['form']

/** Says whether role and sites come from the groups of the provider, and which. Only administrators change that. */
function GroupRights({ person, form }: { person: StaffMember; form: Form }) {
  const { t } = useTranslation()
  const { role } = usePerson()
  const provider = useProviderName(person)
  const sites = useSitesWords(person)
  return (
    <Stack gap={8}>
      <Text fz={13.5}>{t('settings.signs-in-with', { provider })}</Text>
      {role === 'admin' && (
        <Switch
          label={t('settings.rights-from-groups')}
          description={t('settings.rights-from-groups-text', { provider })}
          {...form.getInputProps('hasGroupRights', { type: 'checkbox' })}
        />
      )}
      {form.values.hasGroupRights && (
        <div>
          <Text fw={500}>
            {t(`roles.${person.role}`)} · {sites}
          </Text>
          <Text fz={13.5} c="dimmed">
            {t('settings.rights-fixed', { provider })}
          </Text>
        </div>
      )}
    </Stack>
  )
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
    <Group gap="4px 20px" pt="md" style={{ borderTop: '1px solid var(--vs-line)' }}>
      {actsFor(person, usePerson().role).map((act) => (
        <Anchor
          key={act}
          component="button"
          type="button"
          fz={13.5}
          {...(isDestructive(act) && { c: 'var(--vs-bad-text)' })}
          onClick={() => onAct(act, person)}
        >
          {t(`settings.act-${act}`)}
        </Anchor>
      ))}
    </Group>
  )
}
