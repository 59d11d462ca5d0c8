import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconUserPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PasswordLink, StaffMember } from '../../../../../client/voucher-api.generated.ts'
import { ConfirmDialog, SecretOnce } from '../../../components/dialog.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { showFailure } from '../../../components/show-failure.ts'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { FilterBar, SearchField } from '../../../components/table/filters.tsx'
import { formatTime } from '../../../formats.ts'
import { useProviderName } from '../../../provider-name.ts'
import { activatePerson, createPasswordLink, endAccess, staffQuery } from '../../../queries/people.ts'
import type { PagePosition } from '../../../search-params.ts'
import { usePerson, useSession } from '../../../session.tsx'
import { useScope, useScopeZone } from '../../../sites.ts'
import { type Act, PersonDialog } from './person-dialog.tsx'
import { SendByEmail } from './send-by-email.tsx'
import { StaffTable } from './staff-table.tsx'

const pageSize = 50

/** The actions that ask first. */
type Confirmed = 'deactivate' | 'sign-out' | 'reset-factors' | 'unlink'

/** The dialog that is open: only one at a time. */
type Open =
  | { what: 'invite' }
  | { what: 'change'; person: StaffMember }
  | { what: Confirmed; person: StaffMember }
  | { what: 'new-link'; person: StaffMember }
  | { what: 'link'; name: string; link: PasswordLink; mailedTo: string | null }

/** The people whom this person may manage, and everything that can be done with them. */
export function StaffTab() {
  const { t } = useTranslation()
  const { data, error, isFetching, refetch, text, cursor, page } = useStaff()
  const [open, setOpen] = useState<Open>()
  const navigate = useNavigate()
  const me = usePerson()
  const close = () => setOpen(undefined)
  const act = useActs(setOpen)
  const search = (change: PagePosition & { text?: string | undefined }) =>
    void navigate({ to: '/settings', search: ({ site, text }) => ({ site, text, ...change }), replace: true })
  const openPerson = (person: StaffMember) =>
    person.id === me.id ? void navigate({ to: '/me' }) : setOpen({ what: 'change', person })

  return (
    <>
      <Group justify="space-between" mb="md">
        <Text c="dimmed">{t(me.role === 'admin' ? 'settings.staff-text' : 'settings.staff-text-manager')}</Text>
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setOpen({ what: 'invite' })}>
          {t('settings.invite')}
        </Button>
      </Group>
      {(text !== undefined || cursor !== undefined || (data?.staff.length ?? 0) > 7) && (
        <FilterBar>
          <SearchField
            value={text ?? ''}
            placeholder={t('settings.search-staff')}
            onChange={(value) => search({ text: value === '' ? undefined : value })}
          />
        </FilterBar>
      )}
      {error && !data ? (
        <ErrorMessage error={error} onRetry={() => void refetch()} />
      ) : (
        <StaffTable
          staff={data?.staff}
          isFetching={isFetching && data !== undefined}
          empty={<NoStaff text={text} onClear={() => search({ text: undefined })} />}
          position={{ cursor, page, size: pageSize, nextCursor: data?.next_cursor, onMove: search }}
          onOpen={openPerson}
          onAct={act}
        />
      )}
      {(open?.what === 'invite' || open?.what === 'change') && (
        <PersonDialog
          person={open.what === 'change' ? open.person : undefined}
          onInvited={({ name, email, password_link: link, link_message: message }) =>
            setOpen({ what: 'link', name, link, mailedTo: message ? email : null })
          }
          onAct={act}
          onClose={close}
        />
      )}
      {open?.what === 'new-link' && (
        <NewLink
          person={open.person}
          onCreated={(link, mailedTo) => setOpen({ what: 'link', name: open.person.name, link, mailedTo })}
          onClose={close}
        />
      )}
      {open?.what === 'link' && <LinkOnce {...open} onDone={close} />}
      {(open?.what === 'deactivate' ||
        open?.what === 'sign-out' ||
        open?.what === 'reset-factors' ||
        open?.what === 'unlink') && <ConfirmAct {...open} onClose={close} />}
    </>
  )
}

function useStaff() {
  const { text, cursor, page } = useSearch({ from: '/shell/settings' })
  const { site } = useScope()
  const words = text?.trim()
  const found = useQuery(
    staffQuery({
      limit: pageSize,
      ...(words && { text: words }),
      ...(cursor && { cursor }),
      ...(site && { site_id: site.id }),
    }),
  )
  return { ...found, text, cursor, page }
}

/** Actions that need no confirmation run at once. The others open their dialog. */
function useActs(setOpen: (open: Open | undefined) => void) {
  const { t } = useTranslation()
  const { link_mail: hasLinkMail } = useSession()
  const onError = (error: unknown) => showFailure(t, error)
  const createLink = useMutation({
    ...createPasswordLink,
    onSuccess: (link, { name }) => setOpen({ what: 'link', name, link, mailedTo: null }),
    onError,
  })
  const activate = useMutation({
    ...activatePerson,
    onSuccess: ({ name }) => {
      notifications.show({ message: t('settings.activated', { name }) })
      setOpen(undefined)
    },
    onError,
  })
  return (act: Act, person: StaffMember) => {
    if (act === 'link' && hasLinkMail) setOpen({ what: 'new-link', person })
    else if (act === 'link') createLink.mutate({ ...person, sendsEmail: false })
    else if (act === 'activate') activate.mutate(person)
    else setOpen({ what: act, person })
  }
}

type ConfirmProps = { what: Confirmed; person: StaffMember; onClose: () => void }

function ConfirmAct({ what, person, onClose }: ConfirmProps) {
  const { t } = useTranslation()
  const { id, name } = person
  const act = useMutation({
    ...endAccess(id, what),
    onSuccess: () => {
      notifications.show({ message: t(`settings.${what}-done`, { name }) })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t(`settings.${what}-title`, { name })}
      action={t(`settings.${what}-submit`)}
      mutation={act}
    >
      {t(`settings.${what}-text`, { provider: useProviderName(person) })}
    </ConfirmDialog>
  )
}

type NewLinkProps = {
  person: StaffMember
  onCreated: (link: PasswordLink, mailedTo: string | null) => void
  onClose: () => void
}

/** Asks whether the service also sends the new link. */
function NewLink({ person, onCreated, onClose }: NewLinkProps) {
  const { t } = useTranslation()
  const { name, email } = person
  const [sendsEmail, setSendsEmail] = useState(true)
  const create = useMutation({
    ...createPasswordLink,
    onSuccess: (link) => onCreated(link, sendsEmail ? email : null),
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('link-mail.new-title', { name })}
      action={t('link-mail.new-submit')}
      isDestructive={false}
      mutation={{ ...create, mutate: () => create.mutate({ ...person, sendsEmail }) }}
    >
      <Stack gap="md">
        <Text>{t('link-mail.new-text')}</Text>
        <SendByEmail
          description={t('link-mail.send-what', { email })}
          checked={sendsEmail}
          onChange={(event) => setSendsEmail(event.currentTarget.checked)}
        />
      </Stack>
    </ConfirmDialog>
  )
}

type LinkProps = { name: string; link: PasswordLink; mailedTo: string | null; onDone: () => void }

function LinkOnce({ name, link, mailedTo, onDone }: LinkProps) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const time = formatTime(link.expires_at, { timeZone, dateStyle: 'medium', timeStyle: 'short' })
  return (
    <SecretOnce
      title={t('settings.link-title', { name })}
      text={mailedTo === null ? t('settings.link-text', { time }) : t('link-mail.sent-text', { time, email: mailedTo })}
      secret={link.url}
      {...(mailedTo === null && { stored: t('settings.link-stored') })}
      onDone={onDone}
    />
  )
}

function NoStaff({ text, onClear }: { text: string | undefined; onClear: () => void }) {
  const { t } = useTranslation()
  if (text === undefined) return <EmptyState title={t('settings.no-staff')} text={t('settings.no-staff-text')} />
  return (
    <EmptyState title={t('settings.no-match')} text={t('settings.no-match-text', { text })}>
      <Button variant="default" onClick={onClear}>
        {t('table.clear-search')}
      </Button>
    </EmptyState>
  )
}
