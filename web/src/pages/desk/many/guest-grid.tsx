import { NativeSelect, Text, VisuallyHidden } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { Fragment, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useShortcuts } from '../../../shortcuts.ts'
import { GuestCell, type Step } from './guest-cell.tsx'
import { type Column, type ColumnKind, chooseKind, columnKinds } from './guest-columns.ts'
import type { GuestRow } from './guest-rows.ts'
import classes from './guest-table.module.css'
import { type GuestTable, isWrong } from './guest-table.ts'
import { cellWords, errorWords } from './guest-words.ts'
import type { TableLine } from './read-table.ts'

/** A cell, by the number of its line and its column. */
type Place = { line: number; column: number }

type Props = {
  table: GuestTable
  /** The rows to show. */
  shown: GuestRow[]
  timeZone: string
  canEmail: boolean
  isLocked: boolean
  /** Counts the clicks that lead to the first error. */
  errorCalls: number
  onColumns: (columns: Column[]) => void
  onCell: (line: TableLine, column: number, text: string) => void
  /** An error is in a row that is not shown. */
  onShowAll: () => void
}

/** The rows of a pasted table. Errors are below their rows. Ctrl . goes to the next error. */
export function GuestGrid({
  table,
  shown,
  timeZone,
  canEmail,
  isLocked,
  errorCalls,
  onColumns,
  onCell,
  onShowAll,
}: Props) {
  const { t } = useTranslation()
  const { columns, rows } = table
  const frame = useRef<HTMLElement>(null)
  const [edited, setEdited] = useState<Place | null>(null)
  const words = useMemo(() => cellWords(t, timeZone), [t, timeZone])
  const hasNames = columns.some(({ kind }) => kind === 'name')

  const goToError = (from: Place | null) => {
    const places = rows.flatMap(({ line, errors }) =>
      [...errors.keys()].map((column) => ({ line: line.number, column })),
    )
    const isAfter = ({ line, column }: Place) =>
      from === null || line > from.line || (line === from.line && column > from.column)
    const next = places.find(isAfter) ?? places[0]
    if (!next) return
    if (!shown.some(({ line }) => line.number === next.line)) onShowAll()
    setEdited(next)
  }
  useShortcuts([
    {
      hotkey: 'mod+.',
      shown: [t('many.next-error-key')],
      label: t('many.next-error'),
      run: () => !isLocked && goToError(edited),
      whileTyping: true,
    },
  ])
  useEffect(() => {
    if (errorCalls > 0) goToError(null)
  }, [errorCalls])

  const finish = (row: GuestRow, column: number, text: string, step: Step) => {
    const place = { line: row.line.number, column }
    const next = step === 0 ? null : neighbour(shown, columns.length, place, step)
    setEdited((now) => (now === null || isSame(now, place) ? next : now))
    if (text !== (row.line.cells[column] ?? '')) onCell(row.line, column, text)
    if (step !== 0 || !isSame(edited ?? place, place)) return
    requestAnimationFrame(() => {
      const isLost = document.activeElement === document.body || document.activeElement === null
      if (isLost) frame.current?.querySelector<HTMLElement>(`[data-cell="${place.line}:${column}"]`)?.focus()
    })
  }

  return (
    <section ref={frame} className={classes.frame} aria-label={t('many.table')}>
      <table className={classes.grid}>
        <thead>
          <tr>
            <th scope="col">{t('many.line')}</th>
            {columns.map(({ kind }, index) => (
              <th key={index} scope="col">
                <NativeSelect
                  size="xs"
                  className={classes.kind ?? ''}
                  aria-label={t('many.column', { number: index + 1 })}
                  disabled={isLocked}
                  value={kind}
                  data={columnKinds
                    .filter((each) => each !== 'email' || canEmail)
                    .map((each) => ({ value: each, label: t(`many.kind-${each}`) }))}
                  onChange={(event) => onColumns(chooseKind(columns, index, event.currentTarget.value as ColumnKind))}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => {
            const { line, errors } = row
            const errorId = (column: number) =>
              hasNames && errors.has(column) ? `many-error-${line.number}-${column}` : undefined
            return (
              <Fragment key={line.number}>
                <tr {...(isWrong(row) && { 'data-wrong': true })}>
                  <td className={classes.line}>{line.number}</td>
                  {columns.map(({ kind }, column) => (
                    <td
                      key={column}
                      data-label={t(`many.kind-${kind}`)}
                      {...(kind === 'ignore' && { 'data-ignored': true })}
                      {...(kind === 'email' && { 'data-email': true })}
                    >
                      <GuestCell
                        place={`${line.number}:${column}`}
                        label={t('many.cell', { line: line.number, column: t(`many.kind-${kind}`) })}
                        text={line.cells[column] ?? ''}
                        shown={words(row, kind, line.cells[column] ?? '')}
                        isName={kind === 'name'}
                        isIgnored={kind === 'ignore'}
                        isLocked={isLocked}
                        errorId={errorId(column)}
                        isEdited={edited !== null && isSame(edited, { line: line.number, column })}
                        onEdit={() => setEdited({ line: line.number, column })}
                        onDone={(text, step) => finish(row, column, text, step)}
                      />
                    </td>
                  ))}
                </tr>
                {hasNames &&
                  [...errors].map(([column, error]) => (
                    <tr key={column} className={classes.errorRow}>
                      <td colSpan={column + 1} />
                      <td colSpan={columns.length - column}>
                        <Text id={errorId(column)} className={classes.error} fz={13} c="var(--vs-bad-text)">
                          <IconAlertCircle size={15} aria-hidden />
                          <span>
                            <VisuallyHidden>{t('many.line-number', { line: line.number })} </VisuallyHidden>
                            {errorWords(t, error)}
                          </span>
                        </Text>
                      </td>
                    </tr>
                  ))}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

function isSame(one: Place, other: Place): boolean {
  return one.line === other.line && one.column === other.column
}

/** The next cell, or the one before, in the shown rows. Null at the ends. */
function neighbour(shown: GuestRow[], width: number, { line, column }: Place, step: 1 | -1): Place | null {
  const at = shown.findIndex((row) => row.line.number === line) * width + column + step
  const row = shown[Math.floor(at / width)]
  return at < 0 || !row ? null : { line: row.line.number, column: at % width }
}
