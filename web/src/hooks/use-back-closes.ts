import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** The open dialogs, the uppermost last, with what Back of the browser does in each. */
const dialogs: { back: () => void }[] = []

/**
 * While a dialog is open, Back of the browser calls `onBack` and stays on the page. On a phone a dialog fills the screen, so people
 * press Back to close it.
 */
export function useBackCloses(isOpen: boolean, onBack: () => void): void {
  const { history } = useRouter()
  const latest = useRef(onBack)
  useEffect(() => {
    latest.current = onBack
  })
  useEffect(() => {
    if (!isOpen) return
    const dialog = { back: () => latest.current() }
    dialogs.push(dialog)
    const unblock = history.block({
      enableBeforeUnload: false,
      blockerFn: ({ action }) => {
        if (action !== 'BACK') return false
        dialogs.at(-1)?.back()
        return true
      },
    })
    return () => {
      dialogs.splice(dialogs.indexOf(dialog), 1)
      unblock()
    }
  }, [isOpen, history])
}
