import { TextInput, UnstyledButton } from '@mantine/core'
import { type KeyboardEvent, useRef, useState } from 'react'
import classes from './guest-table.module.css'

/** Where the next edit is: the next cell, the one before, or nowhere. */
export type Step = 1 | -1 | 0

type Props = {
  /** The place of the cell, for the focus: line and column. */
  place: string
  label: string
  /** The text as somebody typed it. */
  text: string
  /** The text as it was understood. */
  shown: string
  isName: boolean
  isIgnored: boolean
  isLocked: boolean
  errorId: string | undefined
  isEdited: boolean
  onEdit: () => void
  onDone: (text: string, step: Step) => void
}

/** A cell that becomes a field with a click, Enter or F2. Tab goes on to the next cell, and Esc brings the old text back. */
export function GuestCell({ isEdited, ...cell }: Props) {
  if (isEdited) return <EditedCell {...cell} />
  const { place, label, shown, isName, isIgnored, isLocked, errorId, onEdit } = cell
  return (
    <UnstyledButton
      className={classes.cell}
      data-cell={place}
      {...(isName && { 'data-name': true })}
      {...(isIgnored && { 'data-ignored': true })}
      {...(errorId !== undefined && { 'data-wrong': true, 'aria-describedby': errorId })}
      aria-label={`${label}: ${shown || '–'}`}
      title={shown}
      disabled={isLocked}
      onClick={onEdit}
      onKeyDown={({ key }) => key === 'F2' && onEdit()}
    >
      {shown || '–'}
    </UnstyledButton>
  )
}

function EditedCell({ label, text, errorId, onDone }: Omit<Props, 'isEdited'>) {
  const [value, setValue] = useState(text)
  const isDone = useRef(false)
  const finish = (next: string, step: Step) => {
    if (!isDone.current) onDone(next, step)
    isDone.current = true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') finish(text, 0)
    else if (event.key === 'Tab') finish(value, event.shiftKey ? -1 : 1)
    else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) finish(value, 0)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <TextInput
      className={classes.field ?? ''}
      aria-label={label}
      aria-describedby={errorId}
      autoFocus
      autoComplete="off"
      spellCheck={false}
      error={errorId !== undefined}
      withErrorStyles
      value={value}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setValue(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onBlur={() => finish(value, 0)}
    />
  )
}
