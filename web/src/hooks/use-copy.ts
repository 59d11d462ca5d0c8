import { useEffect, useState } from 'react'

/** Copies a text, even on pages without TLS, where browsers have no clipboard for scripts. */
export function useCopy() {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(setIsCopied, 2000, false)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (text: string) => {
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('there is no clipboard'))
    done.then(() => setIsCopied(true)).catch(() => setIsCopied(copyBySelection(text)))
  }
  return { isCopied, copy }
}

/** Whether the browser copied it. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.style.position = 'fixed'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}
