import { Group, Menu, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Key } from '../../../../client/voucher-api.generated.ts'
import { Moment } from '../../components/moment.tsx'
import { MoreMenu } from '../../components/more-menu.tsx'
import { type Column, DataTable } from '../../components/table/data-table.tsx'
import tableClasses from '../../components/table/table.module.css'
import { formatNumber } from '../../formats.ts'
import { useIsNarrow, useLayout } from '../../hooks/use-layout.ts'
import { useScopeZone } from '../../sites.ts'
import { ExpiryWords, useSitesWords } from './key-words.tsx'
import classes from './keys.module.css'
import { sumOf } from './keys-data.ts'
import { UsageBars } from './usage-bars.tsx'

const dimmed = { cellsClassName: () => tableClasses.dimmed ?? '' }

/** The actions for a key. */
export type KeyAction = 'edit' | 'roll' | 'revoke'

type Props = {
  keys: Key[] | undefined
  empty: ReactNode
  openId: string | undefined
  onOpen: (key: Key) => void
  onAction: (action: KeyAction, key: Key) => void
}

/** All keys. A click on the name opens the details; the menu has the actions. */
export function KeyTable({ keys, empty, openId, onOpen, onAction }: Props) {
  const { t } = useTranslation()
  const sitesWords = useSitesWords()
  const layout = useLayout()
  const timeZone = useScopeZone()
  const isRail = layout === 'rail'
  const isNarrow = useIsNarrow()
  const columns: Column<Key>[] = [
    {
      accessor: 'name',
      title: t('keys-page.name'),
      render: (key) => <KeyName apiKey={key} onOpen={() => onOpen(key)} />,
    },
    { accessor: 'scope', title: t('keys-page.scope-title'), render: (key) => <ScopeMark apiKey={key} /> },
    {
      ...dimmed,
      accessor: 'sites',
      title: t('keys-page.sites-title'),
      hidden: isRail,
      render: (key) => <div className={classes.sites}>{sitesWords(key)}</div>,
    },
    { accessor: 'usage', title: t('keys-page.requests-14'), render: (key) => <UsageBars apiKey={key} /> },
    {
      ...dimmed,
      accessor: 'limit',
      title: t('keys-page.limit-title'),
      textAlign: 'right',
      hidden: isRail,
      render: ({ requests_per_minute: limit }) => (limit === null ? t('keys-page.none') : formatNumber(limit)),
    },
    {
      ...dimmed,
      accessor: 'limited',
      title: t('keys-page.limited-title'),
      textAlign: 'right',
      hidden: isNarrow,
      render: (key) => <LimitedCount apiKey={key} />,
    },
    {
      ...dimmed,
      accessor: 'last_used_at',
      title: t('keys-page.last-used-title'),
      cellsStyle: () => ({ paddingLeft: 28 }),
      titleStyle: () => ({ paddingLeft: 28 }),
      render: ({ last_used_at }) =>
        last_used_at ? <Moment at={last_used_at} timeZone={timeZone} /> : t('keys-page.unused'),
    },
    { ...dimmed, accessor: 'expires_at', title: t('keys-page.expires'), render: (key) => <ExpiryWords apiKey={key} /> },
    {
      accessor: 'actions',
      title: '',
      width: 64,
      render: (key) => <KeyMenu apiKey={key} onAction={(action) => onAction(action, key)} />,
    },
  ]
  return (
    <DataTable
      label={t('keys-page.title')}
      rows={keys}
      columns={columns}
      phoneRow={(key) => <PhoneRow apiKey={key} />}
      empty={empty}
      hasTwoLines
      openId={openId}
      {...(layout === 'phone' && { onOpen })} // on a wide screen the name is the button
      isSoft={({ revoked_at }) => revoked_at !== null}
    />
  )
}

function KeyName({ apiKey, onOpen }: { apiKey: Key; onOpen: () => void }) {
  return (
    <div className={apiKey.revoked_at ? classes.revoked : undefined}>
      <button type="button" className={`${classes.name} ${classes.link}`} title={apiKey.name} onClick={onOpen}>
        {apiKey.name}
      </button>
      <div className={classes.prefix}>{apiKey.prefix}…</div>
    </div>
  )
}

export function ScopeMark({ apiKey }: { apiKey: Key }) {
  const { scope, revoked_at } = apiKey
  return (
    <span className={classes.scope} data-scope={revoked_at ? undefined : scope}>
      {scope}
    </span>
  )
}

/** Requests of 14 days that were answered with 429. More than ten are worth a look. */
function LimitedCount({ apiKey }: { apiKey: Key }) {
  const count = sumOf(apiKey.usage.limited)
  return <span className={count > 10 && !apiKey.revoked_at ? classes.many : undefined}>{count}</span>
}

function PhoneRow({ apiKey }: { apiKey: Key }) {
  const { t } = useTranslation()
  const limited = sumOf(apiKey.usage.limited)
  return (
    <div className={apiKey.revoked_at ? classes.revoked : undefined}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <span className={classes.name}>{apiKey.name}</span>
        <ScopeMark apiKey={apiKey} />
      </Group>
      <Group justify="space-between" wrap="nowrap" gap="sm" mt={4}>
        <span className={classes.prefix}>{apiKey.prefix}…</span>
        <Text component="span" fz={13} c={apiKey.revoked_at ? 'var(--vs-soft)' : 'dimmed'}>
          {limited > 10 && !apiKey.revoked_at ? (
            <span className={classes.many}>{t('keys-page.limited-short', { count: limited })}</span>
          ) : (
            <ExpiryWords apiKey={apiKey} />
          )}
        </Text>
      </Group>
    </div>
  )
}

function KeyMenu({ apiKey, onAction }: { apiKey: Key; onAction: (action: KeyAction) => void }) {
  const { t } = useTranslation()
  if (apiKey.revoked_at) return null
  return (
    <MoreMenu size={36} label={t('table.acts', { name: apiKey.name })}>
      <Menu.Item onClick={() => onAction('edit')}>{t('keys-page.edit')}</Menu.Item>
      <Menu.Item onClick={() => onAction('roll')}>{t('keys-page.roll')}</Menu.Item>
      <Menu.Item c="var(--vs-bad-text)" onClick={() => onAction('revoke')}>
        {t('keys-page.revoke')}
      </Menu.Item>
    </MoreMenu>
  )
}
