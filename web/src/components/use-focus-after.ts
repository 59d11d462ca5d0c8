import { type RefObject, useEffect, useRef } from 'react'

/**
 * Returns the ref of a button that gets the focus back after a failure. While a button is loading it cannot have the focus, and in
 * a dialog the next Tab would leave the dialog.
 */
export function useFocusAfter(error: unknown): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (error) button.current?.focus()
  }, [error])
  return button
}
