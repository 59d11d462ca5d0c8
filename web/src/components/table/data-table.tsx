import 'mantine-datatable/styles.layer.css'
import { Checkbox, Skeleton } from '@mantine/core'
import { type DataTableColumn, DataTable as MantineDataTable } from 'mantine-datatable'
import type { ReactNode, SyntheticEvent, TouchEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useDelayed } from '../../hooks/use-delayed.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import classes from './table.module.css'

export type Column<Row> = DataTableColumn<Row>

type Props<Row extends { id: string | number }> = {
  /** The accessible name of the table. */
  label: string
  /** Undefined while they are loaded for the first time. Later loads keep the old rows. */
  rows: Row[] | undefined
  columns: Column<Row>[]
  /** Both lines of a row on a phone. */
  phoneRow: (row: Row) => ReactNode
  /** Replaces the rows if there are none. */
  empty: ReactNode
  /** Rows are loaded again: a thin bar at the header shows it. */
  isFetching?: boolean
  /** A click on the row. The first column should also have a link or button for the keyboard. */
  onOpen?: (row: Row) => void
  /** The row that is shown in a drawer or beside the table. */
  openId?: string | number | undefined
  /** Shown below the row of `openId`. */
  expansion?: (row: Row) => ReactNode
  /** If it is set, rows can be selected. */
  selection?: { ids: (string | number)[]; onChange: (ids: (string | number)[]) => void; labelOf: (row: Row) => string }
  /** Touching a row for half a second on a phone, for example to begin selecting. */
  onLongPress?: ((row: Row) => void) | undefined
  /** Rows with two lines are 60 px high instead of 46. */
  hasTwoLines?: boolean
  /** Rows in soft text, such as revoked keys. */
  isSoft?: (row: Row) => boolean
  /** Attributes of a row of the table, for example to drop another row on it. */
  rowAttributes?: (row: Row) => Record<string, unknown>
  /** The end of a row on a phone, for example its menu. */
  phoneEnd?: (row: Row) => ReactNode
  foot?: ReactNode
}

/** A table in our look. On a phone it is a list of rows with two lines. */
export function DataTable<Row extends { id: string | number }>(props: Props<Row>) {
  const { rows, columns, empty, selection, onOpen, openId, isFetching = false, hasTwoLines = false, isSoft } = props
  const { t } = useTranslation()
  const layout = useLayout()
  const isLate = useDelayed(rows === undefined)
  if (rows === undefined)
    return (
      <div className={classes.frame} aria-busy>
        {isLate && Array.from({ length: 8 }, (_, row) => <Skeleton key={row} h={22} my={12} mx={20} w="auto" />)}
      </div>
    )
  if (rows.length === 0)
    return (
      <div className={classes.frame}>
        {empty}
        {props.foot}
      </div>
    )
  if (layout === 'phone') return <PhoneList {...props} rows={rows} />
  const selected = selection && {
    selectedRecords: rows.filter(({ id }) => selection.ids.includes(id)),
    onSelectedRecordsChange: (chosen: Row[]) => selection.onChange(chosen.map(({ id }) => id)),
    getRecordSelectionCheckboxProps: (row: Row) => ({ 'aria-label': selection.labelOf(row) }),
    allRecordsSelectionCheckboxProps: { 'aria-label': t('table.select-all') },
  }
  return (
    <div className={classes.frame} data-two-lines={hasTwoLines || undefined} data-fetching={isFetching || undefined}>
      <MantineDataTable<Row>
        aria-label={props.label}
        withTableBorder={false}
        withRowBorders={false}
        verticalSpacing={0}
        backgroundColor="transparent"
        highlightOnHover={onOpen !== undefined}
        columns={columns}
        records={rows}
        noRecordsText="" // the table is not shown without rows, but screen readers would read it after every table
        rowClassName={(row) =>
          [row.id === openId && classes.open, isSoft?.(row) && classes.soft].filter(Boolean).join(' ')
        }
        {...(props.rowAttributes && { customRowAttributes: props.rowAttributes })}
        {...(onOpen && { onRowClick: ({ record }: { record: Row }) => onOpen(record) })}
        {...(props.expansion && { rowExpansion: expansionOf(props.expansion, openId) })}
        {...selected}
      />
      {props.foot}
    </div>
  )
}

/** The page decides which row is open, so the table itself opens none. */
function expansionOf<Row>(expansion: (row: Row) => ReactNode, openId: string | number | undefined) {
  return {
    trigger: 'never' as const,
    expanded: { recordIds: openId === undefined ? [] : [openId], onRecordIdsChange: () => undefined },
    content: ({ record }: { record: Row }) => expansion(record),
  }
}

function PhoneList<Row extends { id: string | number }>(props: Props<Row> & { rows: Row[] }) {
  const { label, rows, phoneRow, selection, onOpen, onLongPress, openId, isSoft, foot } = props
  const toggle = (id: Row['id'], isOn: boolean) =>
    selection?.onChange(isOn ? [...selection.ids, id] : selection.ids.filter((one) => one !== id))
  return (
    <div>
      <ul className={classes.list} aria-label={label}>
        {rows.map((row) => (
          <li
            key={row.id}
            className={classes.item}
            data-expanded={(props.expansion && row.id === openId) || undefined}
            data-open={row.id === openId || selection?.ids.includes(row.id) || undefined}
            data-soft={isSoft?.(row) || undefined}
          >
            {selection && (
              <Checkbox
                aria-label={selection.labelOf(row)}
                checked={selection.ids.includes(row.id)}
                onChange={(event) => toggle(row.id, event.currentTarget.checked)}
              />
            )}
            {onOpen ? (
              <button
                type="button"
                className={classes.itemButton}
                onClick={() => onOpen(row)}
                {...(onLongPress && longPress(() => onLongPress(row)))}
              >
                {phoneRow(row)}
              </button>
            ) : (
              <div className={classes.itemButton}>{phoneRow(row)}</div>
            )}
            {props.phoneEnd?.(row)}
            {row.id === openId && props.expansion?.(row)}
          </li>
        ))}
      </ul>
      {foot}
    </div>
  )
}

/** Handlers for a touch of half a second. Moving the finger, for example to scroll, ends it. The click after it does nothing. */
function longPress(run: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => clearTimeout(timer)
  return {
    onTouchStart: ({ currentTarget }: TouchEvent<HTMLElement>) => {
      timer = setTimeout(() => {
        currentTarget.addEventListener('click', (event) => event.stopImmediatePropagation(), {
          once: true,
          capture: true,
        })
        run()
      }, 500)
    },
    onTouchMove: end,
    onTouchEnd: end,
    onTouchCancel: end,
    onContextMenu: (event: SyntheticEvent) => event.preventDefault(),
  }
}
