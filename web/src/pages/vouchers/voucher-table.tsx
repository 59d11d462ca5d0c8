import { UnstyledButton } from '@mantine/core'
import type { TFunction } from 'i18next'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Voucher } from '../../../../client/voucher-api.generated.ts'
import { Moment } from '../../components/moment.tsx'
import { type Column, DataTable } from '../../components/table/data-table.tsx'
import { StatusWords } from '../../components/voucher/status-mark.tsx'
import { hasEnded } from '../../components/voucher/voucher-end.ts'
import { shortDurationWords } from '../../components/voucher/voucher-words.ts'
import { useIsNarrow, useLayout } from '../../hooks/use-layout.ts'
import { useScope } from '../../sites.ts'
import { useSiteFacts } from './site-facts.ts'
import classes from './vouchers.module.css'

type Props = {
  rows: Voucher[] | undefined
  isFetching: boolean
  openId: string | undefined
  onOpen: (voucher: Voucher) => void
  selected: string[]
  /** Undefined on a phone while nobody selects. */
  onSelect: ((ids: string[]) => void) | undefined
  onLongPress: (voucher: Voucher) => void
  empty: ReactNode
  foot: ReactNode
}

export function VoucherTable({ rows, selected, onSelect, openId, ...props }: Props) {
  const { t } = useTranslation()
  const columns = useColumns(props.onOpen)
  const isPhone = useLayout() === 'phone'
  const { site, sites } = useScope()
  const toggle = ({ id }: Voucher) =>
    onSelect?.(selected.includes(id) ? selected.filter((one) => one !== id) : [...selected, id])
  return (
    <DataTable<Voucher>
      label={t('vouchers.title')}
      rows={rows}
      columns={columns}
      phoneRow={(voucher) => <PhoneRow voucher={voucher} />}
      empty={props.empty}
      isFetching={props.isFetching}
      onOpen={isPhone && onSelect ? toggle : props.onOpen}
      onLongPress={props.onLongPress}
      openId={openId}
      hasTwoLines={site === undefined && (sites?.length ?? 0) > 1}
      {...(onSelect && {
        selection: {
          ids: selected,
          onChange: (ids: (string | number)[]) => onSelect(ids.map(String)),
          labelOf: ({ name, formatted_code: code }: Voucher) => t('vouchers.select-one', { name, code }),
        },
      })}
      foot={props.foot}
    />
  )
}

type ColumnName = 'code' | 'name' | 'status' | 'devices' | 'created' | 'valid-for' | 'ends' | 'source'

/** Medium screens have no room for Source, and small ones none for *Valid for*, Devices and Created. The drawer has them. */
function useColumns(onOpen: (voucher: Voucher) => void): Column<Voucher>[] {
  const { t } = useTranslation()
  const isRail = useLayout() === 'rail'
  const isNarrow = useIsNarrow()
  const { timeZoneOf } = useSiteFacts()
  const column = (
    accessor: ColumnName,
    render: (voucher: Voucher) => ReactNode,
    more: object = {},
  ): Column<Voucher> => ({
    accessor,
    title: t(`vouchers.column-${accessor}`),
    render,
    noWrap: true,
    ...more,
  })
  return [
    column('code', (voucher) => <Code voucher={voucher} />, { width: 124 }),
    column('name', (voucher) => <Name voucher={voucher} onOpen={() => onOpen(voucher)} />, {
      cellsClassName: classes.nameCell,
    }),
    column('status', ({ status }) => <StatusWords status={status} />, { width: 116 }),
    ...(isNarrow
      ? []
      : [
          column('devices', (voucher) => <Devices voucher={voucher} />, { width: 84, textAlign: 'right' }),
          column(
            'created',
            ({ created_at: at, site_id: id }) => (
              <span className={classes.soft}>
                <Moment at={at} timeZone={timeZoneOf(id)} />
              </span>
            ),
            { width: 112, cellsClassName: classes.afterNumber, titleClassName: classes.afterNumber },
          ),
          column(
            'valid-for',
            ({ expire_minutes: minutes, valid_until: stayEnd }) => (
              <span className={classes.soft}>{stayEnd === null ? shortDurationWords(t, minutes) : '–'}</span>
            ),
            { width: 96 },
          ),
        ]),
    column(
      'ends',
      (voucher) => (
        <span className={classes.soft}>
          <Ends voucher={voucher} timeZone={timeZoneOf(voucher.site_id)} />
        </span>
      ),
      { width: 144 },
    ),
    ...(isRail
      ? []
      : [
          column('source', (voucher) => <span className={classes.soft}>{sourceWords(t, voucher)}</span>, {
            width: 150,
            ellipsis: true,
            noWrap: false,
          }),
        ]),
  ]
}

function Code({ voucher }: { voucher: Voucher }) {
  return (
    <span className="code" style={{ fontSize: 13, ...(hasEnded(voucher) && { color: 'var(--vs-soft)' }) }}>
      {voucher.formatted_code}
    </span>
  )
}

function Name({ voucher, onOpen }: { voucher: Voucher; onOpen: () => void }) {
  const { siteName } = useSiteFacts()
  const { site, sites = [] } = useScope()
  return (
    <>
      <span className={classes.nameLine}>
        <UnstyledButton
          className={classes.name ?? ''}
          data-voucher={voucher.id}
          title={voucher.name}
          onClick={(event) => {
            event.stopPropagation()
            onOpen()
          }}
        >
          {voucher.name}
        </UnstyledButton>
        {voucher.reference && <span className={classes.reference}>{voucher.reference}</span>}
      </span>
      {site === undefined && sites.length > 1 && <div className={classes.site}>{siteName(voucher.site_id)}</div>}
    </>
  )
}

function Devices({ voucher }: { voucher: Voucher }) {
  const { t } = useTranslation()
  const { used_count: used, max_uses: most } = voucher
  return (
    <>
      {used}
      <span className={classes.most}>
        {' / '}
        {most === 0 ? <span title={t('desk.any-devices')}>∞</span> : most}
      </span>
    </>
  )
}

/** The end is unknown before the first use, unless the voucher has a fixed end (`valid_until`). */
function Ends({ voucher, timeZone }: { voucher: Voucher; timeZone: string }) {
  const { t } = useTranslation()
  if (voucher.status === 'revoked' || (hasEnded(voucher) && voucher.ends_at === null)) return '–'
  if (voucher.ends_at === null) return t('vouchers.not-used-yet')
  return <Moment at={voucher.ends_at} timeZone={timeZone} />
}

export function sourceWords(t: TFunction, { created_by: maker }: Voucher): string {
  return maker?.name ?? t('vouchers.on-the-controller')
}

function PhoneRow({ voucher }: { voucher: Voucher }) {
  const { timeZoneOf } = useSiteFacts()
  return (
    <span className={classes.phoneRow}>
      <span className={classes.phoneName}>{voucher.name}</span>
      <StatusWords status={voucher.status} />
      <Code voucher={voucher} />
      <span className={classes.phoneFacts}>
        <Devices voucher={voucher} /> · <Moment at={voucher.created_at} timeZone={timeZoneOf(voucher.site_id)} />
      </span>
    </span>
  )
}
