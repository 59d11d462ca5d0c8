import { type DragEvent, type KeyboardEvent, useState } from 'react'

type Options<Id extends string> = {
  /** The rows in their order. */
  ids: Id[]
  /** Moves a row to another place, from 0. */
  onMove: (id: Id, to: number) => void
  /** Says where a row is now, for screen readers. Places count from 1. */
  wordsOf: (id: Id, place: { place: number; count: number }) => string
}

/**
 * Lets people move the rows of a table or a list. Rows are dragged by a handle; CSS shows the place with `data-dragged` and
 * `data-drop`.
 */
export function useRowOrder<Id extends string>({ ids, onMove, wordsOf }: Options<Id>) {
  const [dragged, setDragged] = useState<Id>()
  const [over, setOver] = useState<Id>()
  const [announcement, setAnnouncement] = useState('')
  const placeOf = (id: Id) => ids.indexOf(id)
  const move = (id: Id, to: number) => {
    if (to === placeOf(id) || to < 0 || to >= ids.length) return
    setAnnouncement(wordsOf(id, { place: to + 1, count: ids.length }))
    onMove(id, to)
  }
  const moveByArrow = (event: KeyboardEvent, id: Id) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    move(id, placeOf(id) + (event.key === 'ArrowUp' ? -1 : 1))
  }
  const end = () => {
    setDragged(undefined)
    setOver(undefined)
  }
  const handle = (id: Id) => ({
    draggable: true,
    onDragStart: ({ currentTarget, dataTransfer }: DragEvent) => {
      dataTransfer.effectAllowed = 'move'
      dataTransfer.setData('text/plain', id) // Firefox drags nothing without data
      const row = currentTarget.closest<HTMLElement>('tr, li')
      if (row) dataTransfer.setDragImage(row, 20, row.offsetHeight / 2)
      setDragged(id)
    },
    onDragEnd: end,
  })
  const row = (id: Id) => ({
    ...(id === dragged && { 'data-dragged': true }),
    ...(dragged && id === over && { 'data-drop': placeOf(dragged) < placeOf(id) ? 'below' : 'above' }),
    onDragOver: (event: DragEvent) => {
      if (!dragged) return
      event.preventDefault()
      if (over !== id) setOver(id)
    },
    onDrop: (event: DragEvent) => {
      if (!dragged) return
      event.preventDefault()
      move(dragged, placeOf(id))
      end()
    },
  })
  return { placeOf, move, moveByArrow, handle, row, announcement }
}
