import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { PagePosition } from '../../search-params.ts'
import classes from './table.module.css'

type Props = PagePosition & {
  /** How many rows a full page has. */
  size: number
  /** How many rows this page has. */
  count: number
  nextCursor: string | null | undefined
  onMove: (position: PagePosition) => void
  /** The list is sorted by name instead of by time. */
  isByName?: boolean
  /** The text of the position, if the page can say more. */
  positionText?: (first: number, last: number) => string
  children?: ReactNode
}

/** The cursor of the page before each cursor that was used in this tab. */
const cursorBefore = new Map<string, string | undefined>()

/**
 * *Newer* and *Older* with the position, for example "51–100, newest first". The API has no totals, and cursors only
 * lead to older rows. So *Newer* leads to the page from which this one was opened, or to the first one if its address
 * was opened directly.
 */
export function Pager(props: Props) {
  const { cursor, page = 1, size, count, nextCursor, onMove, isByName = false, children } = props
  const { t } = useTranslation()
  const usualText = (from: number, to: number) =>
    t(isByName ? 'table.position-by-name' : 'table.position', { first: from, last: to })
  const { positionText = usualText } = props
  if (count === 0 && page === 1 && !children) return null
  const first = (page - 1) * size + 1
  const goBack = () => {
    const before = cursor && cursorBefore.get(cursor)
    onMove(before ? { cursor: before, page: page - 1 } : {})
  }
  const goOn = (next: string) => {
    cursorBefore.set(next, cursor)
    onMove({ cursor: next, page: page + 1 })
  }
  return (
    <div className={classes.foot}>
      <span>{count > 0 && positionText(first, first + count - 1)}</span>
      {children}
      <Group gap="sm">
        <Button variant="default" size="xs" disabled={page === 1} onClick={goBack}>
          {t(isByName ? 'actions.back' : 'table.newer')}
        </Button>
        <Button variant="default" size="xs" disabled={!nextCursor} onClick={() => nextCursor && goOn(nextCursor)}>
          {t(isByName ? 'actions.continue' : 'table.older')}
        </Button>
      </Group>
    </div>
  )
}
