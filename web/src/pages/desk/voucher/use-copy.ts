import { useEffect, useState } from 'react'

/** Copies a text, also on pages without TLS, where browsers have no clipboard for scripts. */
export function useCopy() {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(setIsCopied, 2000, false)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (text: string) => {
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('there is no clipboard'))
    done.catch(() => copyBySelection(text)).finally(() => setIsCopied(true))
  }
  return { isCopied, copy }
}

function copyBySelection(text: string): void {
  const field = document.createElement('textarea')
  field.value = text
  field.style.position = 'fixed'
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}
