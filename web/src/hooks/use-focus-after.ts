import { type RefObject, useEffect, useRef } from 'react'

/**
 * Returns the ref of a button that gets the focus back after a failure. A button loses the focus
 * while it is loading; without this, the next Tab would leave a dialog.
 */
export function useFocusAfter(error: unknown): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (error) button.current?.focus()
  }, [error])
  return button
}
