import { useMutation } from '@tanstack/react-query'
import { type DragEvent, type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Template } from '../../../../../client/voucher-api.generated.ts'
import { showFailure } from '../../../components/show-failure.ts'
import { templateName } from '../../../components/voucher/voucher-words.ts'
import { moveTemplate } from '../../../queries/templates.ts'
import { placeAfterMove } from './place-after-move.ts'
import classes from './templates.module.css'

/** Moves templates by dragging or by arrow keys. The table shows the new order at once. */
export function useTemplateOrder(templates: Template[], siteId: number | undefined) {
  const { t } = useTranslation()
  const { mutate } = useMutation({ ...moveTemplate(siteId), onError: (error) => showFailure(t, error) })
  const [dragged, setDragged] = useState<string>()
  const [over, setOver] = useState<string>()
  const [announcement, setAnnouncement] = useState('')

  /** Moves a template to another place of the list, from 0. */
  const move = (id: string, to: number) => {
    const moved = placeAfterMove(templates, id, to)
    if (!moved) return
    const place = { place: to + 1, count: templates.length }
    setAnnouncement(t('settings.moved', { name: templateName(t, moved.template), ...place }))
    mutate(moved)
  }
  const placeOf = (id: string) => templates.findIndex((template) => template.id === id)
  const moveBy = (id: string, steps: 1 | -1) => move(id, placeOf(id) + steps)
  const end = () => {
    setDragged(undefined)
    setOver(undefined)
  }
  const handle = ({ id }: Template) => ({
    draggable: true,
    onDragStart: ({ currentTarget, dataTransfer }: DragEvent) => {
      dataTransfer.effectAllowed = 'move'
      dataTransfer.setData('text/plain', id) // Firefox drags nothing without data
      const row = currentTarget.closest('tr')
      if (row) dataTransfer.setDragImage(row, 20, row.offsetHeight / 2)
      setDragged(id)
    },
    onDragEnd: end,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
      event.preventDefault()
      moveBy(id, event.key === 'ArrowUp' ? -1 : 1)
    },
  })
  const row = ({ id }: Template) => ({
    ...(id === dragged && { 'data-dragged': true }),
    ...(dragged &&
      id === over && { className: placeOf(dragged) < placeOf(id) ? classes.dropBelow : classes.dropAbove }),
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
  return { moveBy, placeOf, handle, row, announcement }
}
