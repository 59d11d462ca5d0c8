import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconUserPlus } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PasswordLink, StaffMember } from '../../../../../client/voucher-api.generated.ts'
import { api } from '../../../api.ts'
import { ConfirmDialog, SecretOnce } from '../../../components/dialog.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorMessage, errorTexts } from '../../../components/state-pages.tsx'
import { FilterBar, SearchField } from '../../../components/table/filters.tsx'
import type { PagePosition } from '../../../search-params.ts'
import { usePerson } from '../../../session.tsx'
import { useScope } from '../../../sites.ts'
import { type Act, PersonDialog } from './person-dialog.tsx'
import { StaffTable } from './staff-table.tsx'

const pageSize = 50

/** The dialog that is open: only one at a time. */
type Open =
  | { what: 'invite' }
  | { what: 'change'; person: StaffMember }
  | { what: 'deactivate' | 'sign-out'; person: StaffMember }
  | { what: 'link'; name: string; link: PasswordLink }

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
          onInvited={({ name, password_link: link }) => setOpen({ what: 'link', name, link })}
          onAct={act}
          onClose={close}
        />
      )}
      {open?.what === 'link' && <LinkOnce {...open} onDone={close} />}
      {(open?.what === 'deactivate' || open?.what === 'sign-out') && <ConfirmAct {...open} onClose={close} />}
    </>
  )
}

function useStaff() {
  const { text, cursor, page } = useSearch({ from: '/shell/settings' })
  const { site } = useScope()
  const words = text?.trim()
  const query = {
    limit: pageSize,
    ...(words && { text: words }),
    ...(cursor && { cursor }),
    ...(site && { site_id: site.id }),
  }
  const found = useQuery({
    queryKey: ['staff', query],
    queryFn: () => api.listStaff(query),
    placeholderData: keepPreviousData,
  })
  return { ...found, text, cursor, page }
}

/** Actions that need no confirmation run at once. The others open their dialog. */
function useActs(setOpen: (open: Open | undefined) => void) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const onError = (error: unknown) => {
    const { title, text } = errorTexts(t, error)
    notifications.show({ color: 'red', title, message: text })
  }
  const createLink = useMutation({
    mutationFn: (person: StaffMember) => api.createPasswordLink(person.id),
    onSuccess: (link, { name }) => setOpen({ what: 'link', name, link }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['staff'] }),
    onError,
  })
  const activate = useMutation({
    mutationFn: (person: StaffMember) => api.updatePerson(person.id, { active: true }),
    onSuccess: ({ name }) => {
      notifications.show({ message: t('settings.activated', { name }) })
      setOpen(undefined)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['staff'] }),
    onError,
  })
  return (act: Act, person: StaffMember) => {
    if (act === 'link') createLink.mutate(person)
    else if (act === 'activate') activate.mutate(person)
    else setOpen({ what: act, person })
  }
}

type ConfirmProps = { what: 'deactivate' | 'sign-out'; person: StaffMember; onClose: () => void }

function ConfirmAct({ what, person, onClose }: ConfirmProps) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { id, name } = person
  const act = useMutation<unknown>({
    mutationFn: () => (what === 'deactivate' ? api.updatePerson(id, { active: false }) : api.deletePersonSessions(id)),
    onSuccess: () => {
      notifications.show({
        message: t(what === 'deactivate' ? 'settings.deactivated' : 'settings.signed-out', { name }),
      })
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['staff'] }),
  })
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t(`settings.${what}-title`, { name })}
      action={t(`settings.${what}-submit`)}
      onConfirm={() => act.mutate()}
      isBusy={act.isPending}
      error={act.error}
    >
      {t(`settings.${what}-text`)}
    </ConfirmDialog>
  )
}

function LinkOnce({ name, link, onDone }: { name: string; link: PasswordLink; onDone: () => void }) {
  const { t, i18n } = useTranslation()
  const until = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <SecretOnce
      opened
      title={t('settings.link-title', { name })}
      text={t('settings.link-text', { time: until.format(new Date(link.expires_at)) })}
      secret={link.url}
      stored={t('settings.link-stored')}
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
