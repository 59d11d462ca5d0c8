import { Anchor, Group, Menu, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { StaffMember } from '../../../../../client/voucher-api.generated.ts'
import { Moment } from '../../../components/moment.tsx'
import { MoreMenu } from '../../../components/more-menu.tsx'
import { PersonAvatar } from '../../../components/shell/navigation.tsx'
import { type Column, DataTable } from '../../../components/table/data-table.tsx'
import { Pager } from '../../../components/table/pager.tsx'
import { useLayout } from '../../../hooks/use-layout.ts'
import { orValue } from '../../../newer-values.ts'
import { useProviderName } from '../../../provider-name.ts'
import { usePerson } from '../../../session.tsx'
import { useScopeZone } from '../../../sites.ts'
import { useSitesWords } from '../use-sites-words.ts'
import { type Act, actsFor, FactorWords, isDestructive } from './person-dialog.tsx'
import { LinkMailWords } from './send-by-email.tsx'

type Props = {
  staff: StaffMember[] | undefined
  isFetching: boolean
  empty: ReactNode
  position: Omit<ComponentProps<typeof Pager>, 'count' | 'isByName' | 'children'>
  onOpen: (person: StaffMember) => void
  onAct: (act: Act, person: StaffMember) => void
}

/** One line for each person: who, which rights, when last seen. */
export function StaffTable({ staff, isFetching, empty, position, onOpen, onAct }: Props) {
  const { t } = useTranslation()
  const isWide = useLayout() === 'full'
  const timeZone = useScopeZone()
  const columns: Column<StaffMember>[] = [
    { accessor: 'name', title: t('person.name'), render: (person) => <Name person={person} onOpen={onOpen} /> },
    { accessor: 'role', title: t('settings.role'), render: ({ role }) => t(`roles.${role}`, orValue(role)) },
    { accessor: 'sites', title: t('nav.sites'), render: (person) => <Sites person={person} /> },
    { accessor: 'state', title: t('settings.state'), render: (person) => <State person={person} /> },
    {
      accessor: 'last_seen_at',
      title: t('settings.last-seen'),
      hidden: !isWide,
      render: ({ last_seen_at: at }) => (
        <Text fz="inherit" c="dimmed">
          {at ? <Moment at={at} timeZone={timeZone} /> : '–'}
        </Text>
      ),
    },
    {
      accessor: 'acts',
      title: '',
      textAlign: 'right',
      width: 72,
      render: (person) => <ActMenu person={person} onOpen={onOpen} onAct={onAct} />,
    },
  ]
  const isPaged = position.cursor !== undefined || Boolean(position.nextCursor)
  return (
    <DataTable
      label={t('settings.staff')}
      rows={staff}
      columns={columns}
      isFetching={isFetching}
      empty={empty}
      hasTwoLines
      isSoft={({ active }) => !active}
      onOpen={onOpen}
      phoneRow={(person) => <PhoneRow person={person} />}
      foot={isPaged && <Pager {...position} count={staff?.length ?? 0} isByName />}
    />
  )
}

function Name({ person, onOpen }: { person: StaffMember; onOpen: (person: StaffMember) => void }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <PersonAvatar name={person.name} />
      <div style={{ minWidth: 0 }}>
        <Anchor
          component="button"
          type="button"
          c="inherit"
          fz="inherit"
          fw={500}
          ta="left"
          lh="18px"
          style={{ overflowWrap: 'anywhere' }}
          onClick={(event) => {
            event.stopPropagation()
            onOpen(person)
          }}
        >
          <OwnName person={person} />
        </Anchor>
        <Text fz={12.5} lh="16px" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {person.email}
        </Text>
      </div>
    </Group>
  )
}

function OwnName({ person }: { person: StaffMember }) {
  const { t } = useTranslation()
  const isOwn = usePerson().id === person.id
  return isOwn ? t('settings.you', { name: person.name }) : person.name
}

function Sites({ person }: { person: StaffMember }) {
  return (
    <Text fz="inherit" c="dimmed" lineClamp={2}>
      {useSitesWords(person)}
    </Text>
  )
}

function State({ person }: { person: StaffMember }) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const { state, link_expires_at: linkEnd } = person
  if (state === 'active')
    return (
      <div style={{ paddingBlock: 4 }}>
        <Text fz="inherit">{t('settings.state-active')}</Text>
        <SignsInBy person={person} />
        <LinkMailWords person={person} />
      </div>
    )
  if (state === 'deactivated') return <Text fz="inherit">{t('settings.state-deactivated')}</Text>
  if (state !== 'invited') return <Text fz="inherit">{orValue(state).defaultValue}</Text>
  return (
    <div style={{ paddingBlock: 4 }}>
      <Text fz="inherit">{t('settings.state-invited')}</Text>
      <Text fz={12.5} lh="16px" c={linkEnd ? 'dimmed' : 'var(--vs-warn-text)'}>
        {linkEnd ? (
          <>
            {t('settings.link-until')} <Moment at={linkEnd} timeZone={timeZone} />
          </>
        ) : (
          t('settings.link-expired')
        )}
      </Text>
      <LinkMailWords person={person} />
    </div>
  )
}

/** The company's account and the second factors of the person. */
function SignsInBy({ person }: { person: StaffMember }) {
  const { t } = useTranslation()
  const provider = useProviderName(person)
  return (
    <Text component="div" fz={12.5} lh="16px" c="dimmed">
      {person.identity && (
        <Text fz="inherit" lh="inherit" lineClamp={2}>
          {t('settings.signs-in-with', { provider })}
        </Text>
      )}
      <FactorWords person={person} />
    </Text>
  )
}

type MenuProps = Pick<Props, 'onOpen' | 'onAct'> & { person: StaffMember }

function ActMenu({ person, onOpen, onAct }: MenuProps) {
  const { t } = useTranslation()
  const me = usePerson()
  if (me.id === person.id) return null
  return (
    <MoreMenu label={t('table.acts', { name: person.name })}>
      <Menu.Item onClick={() => onOpen(person)}>{t('settings.change')}</Menu.Item>
      <Menu.Item renderRoot={(props) => <Link to="/vouchers" search={{ by: person.id }} {...props} />}>
        {t('settings.their-vouchers')}
      </Menu.Item>
      {actsFor(person, me.role).map((act) => (
        <Menu.Item
          key={act}
          {...(isDestructive(act) && { c: 'var(--vs-bad-text)' })}
          onClick={() => onAct(act, person)}
        >
          {t(`settings.act-${act}`)}
        </Menu.Item>
      ))}
    </MoreMenu>
  )
}

function PhoneRow({ person }: { person: StaffMember }) {
  const { t } = useTranslation()
  const sites = useSitesWords(person)
  return (
    <Group gap="sm" wrap="nowrap">
      <PersonAvatar name={person.name} />
      <div style={{ flex: 1, minWidth: 0 }}>
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Text fw={500} truncate>
            <OwnName person={person} />
          </Text>
          <Text fz={13} c="dimmed" style={{ flex: 'none' }}>
            {t(`settings.state-${person.state}`, orValue(person.state))}
          </Text>
        </Group>
        <Text fz={13} c="dimmed" truncate>
          {person.email}
        </Text>
        <Text fz={13} c="dimmed" truncate>
          {t(`roles.${person.role}`, orValue(person.role))} · {sites}
        </Text>
        {person.state === 'active' && <SignsInBy person={person} />}
        <LinkMailWords person={person} />
      </div>
    </Group>
  )
}
